"""The forms of this app, one module per noun."""
