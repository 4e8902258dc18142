"""Programs that match nuggets with answers: their prompts, the requests to them, and their labels."""
