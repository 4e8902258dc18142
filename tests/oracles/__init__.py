"""Slow reference implementations, one document and one run at a time: what the engines are compared with."""
