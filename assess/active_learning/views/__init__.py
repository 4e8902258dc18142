"""The pages of collections and reviews: of organisers, and the search of judges."""
