"""Read, search, compare and describe characters."""
