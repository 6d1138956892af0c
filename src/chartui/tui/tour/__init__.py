"""Tours: played for an audience, recorded without a terminal, and made from the user's own keys."""
