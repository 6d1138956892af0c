"""The tests: one folder per part of the program."""
