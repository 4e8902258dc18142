"""Language models as judges: prompts, requests, replies and batch files. Nothing here opens a connection."""
