"""The terminal UI: screens on top of the core. It never talks to the service directly."""
