"""Readers of documents, one module for each format."""
