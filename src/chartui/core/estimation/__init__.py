"""What an interaction costs: the rate card, the formulas, and reading what another service offers. No input or output
but the card's file."""
