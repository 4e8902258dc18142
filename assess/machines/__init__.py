"""Language models as judges: prompts, labellings, requests as files or to endpoints, and their answers."""
