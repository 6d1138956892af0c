"""Learns a service's rates from as few estimates as possible, and detects drift."""
