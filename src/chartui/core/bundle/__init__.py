"""A character as a file that can be read, written, compared, and pushed to any profile (decision 64)."""
