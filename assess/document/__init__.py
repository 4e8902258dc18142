"""A document as its judge reads it: text, highlighted terms, evidence."""
