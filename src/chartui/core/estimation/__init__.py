"""The cost of an interaction: the rate card, the formulas, and the options of a service.

The rate card is the only file that this package reads and writes.
"""
