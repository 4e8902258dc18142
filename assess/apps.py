from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig

FEATURES = (
    "machines",
    "clicks",
    "judge_runs",
    "panels",
    "notes",
    "near_duplicates",
    "webhooks",
    "answers",
    "battles",
    "preferences",
    "magnitudes",
    "snippets",
    "gradings",
    "battle_programs",
    "pyramids",
    "nuggets",
    "matchings",
    "support",
    "matching_programs",
    "active_learning",
)  # fmt: skip
"""The feature packages, in the order in which pages show their parts."""


class Assess(AppConfig):
    name = "assess"

    def ready(self) -> None:
        for feature in FEATURES:
            import_module(f"{self.name}.{feature}.apps").register()
