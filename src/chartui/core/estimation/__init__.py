"""The cost of an interaction: rate card, formulas, and reading a service's options.

The card's file is the only input and output.
"""
