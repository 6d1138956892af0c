"""The output layer: what the terminal should show, cell by cell; the text that changes it; and when to send it."""
