"""Every resource of the two specification documents as a plain, frozen dataclass."""
