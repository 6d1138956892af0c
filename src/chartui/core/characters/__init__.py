"""Characters in readable form."""
