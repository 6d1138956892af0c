"""The cost of an interaction: rate card, formulas, and reading a service's options.

The only file it reads and writes is the rate card.
"""
