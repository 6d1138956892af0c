"""The headless twin: every noun of the command line is a module here, and none of them knows the terminal UI."""
