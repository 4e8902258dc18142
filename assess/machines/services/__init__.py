"""What is written of prompts, labellings, requests and answers."""
