"""Learning what a service charges, from as few estimates as tell it, and finding out whether it still holds."""
