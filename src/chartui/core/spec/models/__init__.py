"""The resources of the two specifications, as frozen dataclasses."""
