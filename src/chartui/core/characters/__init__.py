"""Reading, searching, comparing and describing characters."""
