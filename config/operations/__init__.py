"""Operation of the site: health, logs and metrics."""
