"""Modules that build plans for changing data, and the executor that runs these plans."""
