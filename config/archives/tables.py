"""Which tables an archive holds, in which order they are filled, and how each belongs to a campaign."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connection
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.models import FileField, ForeignKey, Model, QuerySet

from accounts.models import Session
from assess.models import InvitedTopics, UnfinishedLoad
from pooling.models import Campaign, Invitation, Job

APPS = ("accounts", "pooling", "assess", "metrics")
NOT_EXPORTED = {
    Invitation,
    InvitedTopics,
    Job,
    UnfinishedLoad,
}  # of this server: links that name it, and work for its own workers


@cache
def stored_models() -> list[type[Model]]:
    """Return all models and many-to-many tables of the applications, referenced models first.

    Sessions, permissions and tasks are left out, because they belong to one server.
    """
    models = [
        model
        for app in APPS
        for model in apps.get_app_config(app).get_models(include_auto_created=True)
        if model is not Session
        if all(target._meta.app_label in APPS for _, target in links_of(model))
    ]
    order = TopologicalSorter({model: {target for _, target in links_of(model)} for model in models})
    position = {model: number for number, model in enumerate(order.static_order())}
    return sorted(models, key=lambda model: position[model])


def links_of(model: type[Model]) -> list[tuple[ForeignKey[Any, Any], type[Model]]]:
    """Return the columns of a table that point to a row, and of which model."""
    fields = [field for field in model._meta.concrete_fields if isinstance(field, ForeignKey)]
    return [(field, field.related_model) for field in fields]


@cache
def campaign_models() -> dict[type[Model], str]:
    """Return model -> the path of lookups to its campaign, of every model that belongs to one."""
    paths: dict[type[Model], str] = {Campaign: "pk"}
    for model in stored_models():  # what a model points to comes before it
        through = [
            field.name if target is Campaign else f"{field.name}__{paths[target]}"
            for field, target in links_of(model)
            if target in paths and not field.null
        ]
        if through and model not in NOT_EXPORTED and getattr(model, "EXPORTED", True):
            paths[model] = min(through, key=lambda path: path.count("__"))
    return paths


def rows_in(model: type[Model], campaign: Campaign) -> QuerySet[Any]:
    """Return a model's rows of one campaign, without those of unfinished loads."""
    return model._default_manager.filter(**{campaign_models()[model]: campaign.pk})


def files_of(rows: QuerySet[Any]) -> Iterator[str]:
    """Yield the names of the files that rows name."""
    for field in rows.model._meta.concrete_fields:
        if isinstance(field, FileField):
            names = rows.order_by(field.name).values_list(field.name, flat=True).distinct()
            yield from (name for name in names.iterator() if name)


def too_large(rows: QuerySet[Any]) -> dict[Any, tuple[str, int]]:
    """Return key -> name and bytes, of the rows whose files are too large for the archive of a campaign.

    A model whose rows mean something without their files says by MOST_EXPORTED_BYTES what is too large.
    """
    most = getattr(rows.model, "MOST_EXPORTED_BYTES", None)
    if most is None:
        return {}
    sizes = {row.pk: (str(row), sum(map(_size_of, files_of(rows.filter(pk=row.pk))))) for row in rows}
    return {key: (name, size) for key, (name, size) in sizes.items() if size > most}


def _size_of(name: str) -> int:
    """Return the bytes of a stored file; 0 for one that the storage has lost, which an archive reports."""
    try:
        return default_storage.size(name)
    except FileNotFoundError:
        return 0


def label_of(model: type[Model]) -> str:
    return model._meta.label


def software_version() -> dict[str, Any]:
    """Return the software of an archive: its version, and the last migration of each app."""
    graph = MigrationLoader(connection).graph
    return {
        "software": f"Jurypool {settings.VERSION}",
        "database": {
            app: _state_after(graph.nodes[app, name]) for app, name in graph.leaf_nodes() if app in APPS
        },
    }


def _state_after(migration: Migration) -> str:
    """Return the name of the last migration of the state that a migration, or a squashed one, leads to."""
    return migration.replaces[-1][1] if migration.replaces else migration.name
