"""Pyramids of summary content units and annotations of peers: their model, and files of DUCView."""
