"""Prometheus counters of stored and refused labels."""

from __future__ import annotations

from prometheus_client import Counter

LABELS_SAVED = Counter("jurypool_labels_saved", "Labels of judges that were stored.")
LABELS_REFUSED = Counter("jurypool_labels_refused", "Labels of judges that were refused.")
