"""The pages of audits: drawing a sample, and its result."""
