"""What the judging path counts, for whoever watches the site."""

from __future__ import annotations

from prometheus_client import Counter

LABELS_SAVED = Counter("jurypool_labels_saved", "Labels that judges gave, each once.")
LABELS_REFUSED = Counter("jurypool_labels_refused", "Labels that were sent and could not be taken.")
