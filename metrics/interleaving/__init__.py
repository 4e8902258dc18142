"""Interleaving: one result list from two runs, shown to users, and what their clicks say about the runs."""
