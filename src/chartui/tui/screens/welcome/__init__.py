"""The screen of the first start."""
