"""Plans that change data: modules that build the plans, and the executor that runs them."""
