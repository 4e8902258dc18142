"""All settings, in one file that reads the environment."""

SECRET_KEY = "x"
INSTALLED_APPS: list[str] = []
