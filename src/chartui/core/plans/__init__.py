"""Changes to data, made as plans: the modules that build plans, and the executor that runs them."""
