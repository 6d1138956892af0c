"""Characters as people read them."""
