"""The terminal UI: screens over the core, nothing of the service itself."""
