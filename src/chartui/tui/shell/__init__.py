"""The shell around the screens: the open profile, its lock, its API key, and switching them."""
