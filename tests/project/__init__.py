"""The project itself: its package, its scripts, its import rules and its documents."""
