"""Programs that compare the answers of battles: their prompts, the requests to them, and their votes."""
