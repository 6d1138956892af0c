"""The resources of the two specification documents, as plain frozen dataclasses."""
