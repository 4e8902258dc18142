"""The pages of the ground floor, one module a noun."""
