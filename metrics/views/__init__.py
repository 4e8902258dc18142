"""The pages of the top floor, one module a noun."""
