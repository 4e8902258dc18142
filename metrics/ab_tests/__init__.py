"""A/B tests: each user sees one variant of a search engine, and outcomes of the users are compared."""
