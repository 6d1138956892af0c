"""Tours as tests under pytest: collected from files, driven from code, and reported as a page."""
