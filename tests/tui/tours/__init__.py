"""Tours: as files, played, recorded, and made of keys."""
