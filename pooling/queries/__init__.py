"""Database reads of pooling, one module for each noun. They never write."""
