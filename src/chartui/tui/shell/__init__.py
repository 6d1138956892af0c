"""The shell around the screens: the open profile, its lock and API key, and screen switching."""
