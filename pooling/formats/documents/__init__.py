"""Documents: what the judges read, from the forms in which collections are handed out."""
