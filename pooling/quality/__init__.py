"""What a pool costs and what it covers, before and after it is judged."""
