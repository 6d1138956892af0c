"""Changes as plans: what makes them, and the one executor that carries them out."""
