"""What is stored of collections and reviews."""
