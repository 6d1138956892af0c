"""The rows over HTTP."""
