"""Database writes of pooling, one module for each noun. They never see a request."""
