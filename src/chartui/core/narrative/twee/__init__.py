"""Stories in Twee 3, the open form in which Twine and its relatives exchange them.

A passage is a section: its name, and its text without links as the objective. Its links are decisions, the words of a
link their criteria. What else a passage may hold belongs to the program that plays the story, and is reported.
"""
