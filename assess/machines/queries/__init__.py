"""What is read of labellings, of their requests, and of requests to endpoints."""
