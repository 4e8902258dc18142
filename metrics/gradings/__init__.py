"""Results of grades of whole answers."""
