"""Store characters in files.

The files can be read, written, compared with a profile, and pushed to a profile (decision 64).
"""
