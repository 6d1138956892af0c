"""Tours: played for somebody who looks on, recorded without a terminal, and made of one's own keys."""
