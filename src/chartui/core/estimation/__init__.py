"""Estimate the cost of an interaction: the rate card, the formulas, and the options of a service."""
