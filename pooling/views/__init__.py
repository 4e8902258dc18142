"""The pages of pooling, one module for each noun."""
