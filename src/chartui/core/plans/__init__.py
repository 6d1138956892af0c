"""Changes as plans: modules that build plans, and the executor that runs them."""
