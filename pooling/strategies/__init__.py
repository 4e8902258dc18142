"""Ways from rankings to a pool: which documents of which topic are to be judged, and in which order."""
