"""What whoever runs the site looks at: health, logs and metrics. No rule of a campaign."""
