"""A character as a file: read, written, compared, and pushed to any profile (decision 64)."""
