"""Results of preferences between documents."""
