"""An installation, or one campaign of it, in one file that any installation of the same version can read."""
