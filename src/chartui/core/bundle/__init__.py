"""Characters as files, which can be read, written, compared, and pushed to any profile (decision 64)."""
