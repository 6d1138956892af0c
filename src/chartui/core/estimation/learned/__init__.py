"""Learn a service's rates from as few estimates as possible, and detect when they change."""
