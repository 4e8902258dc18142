"""What is read of collections and reviews."""
