"""The measures, one module per family. Each lists its own in KINDS; `metrics.registry` gathers them."""
