"""Learning a service's rates from as few estimates as possible, and detecting drift."""
