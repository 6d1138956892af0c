"""Learn the rates of a service from as few estimates as possible, and detect when the rates change."""
