"""What the labels of programs on nuggets are worth, beside those of people."""
