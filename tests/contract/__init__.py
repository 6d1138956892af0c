"""The contract: what the service does, the same on every path to it.

A case about meaning runs three times: on the embedded store itself, over HTTP without a network, and over HTTP with a
socket. The rows of the specification say what must be covered; ``test_coverage`` fails where a case is missing.
"""
