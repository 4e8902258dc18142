"""What the votes of programs on battles are worth, beside those of people."""
