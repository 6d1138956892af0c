"""Characters as files. A file can be read, written, compared with a profile, and pushed to it (decision 64)."""
