"""The output layer: what the terminal should show as cells, the difference as text, and when to send it."""
