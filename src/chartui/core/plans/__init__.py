"""Changes as plans: their construction, and the one executor that runs them."""
