"""The pages of the first floor, one module a noun."""
