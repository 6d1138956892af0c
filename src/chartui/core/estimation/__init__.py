"""Estimate the cost of an interaction. This package contains rate cards, formulas, and the options of a service."""
