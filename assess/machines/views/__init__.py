"""The pages of prompts, labellings and endpoints."""
