"""The command line: a module for each noun. None of them imports the terminal UI."""
