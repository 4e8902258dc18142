"""The forms of the first floor, one module a noun."""
