"""Long lists by key: every page says where the next one is, and nothing shifts while a list grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Generic, TypeVar

from django.db.models import CharField, Model, QuerySet
from django.http import HttpRequest
from ninja import Query, Schema
from pydantic import Field

from accounts.requests import full_address

Item = TypeVar("Item")
Row = TypeVar("Row", bound=Model)
MAX_LIMIT = 500


class Page(Schema, Generic[Item]):
    items: list[Item]
    next: str | None = Field(description="The address of the next page; null on the last.")


class PageQuery(Schema):
    """Which part of a list is wanted."""

    after: str = Field(
        "", pattern=r"^[^\x00]*$", max_length=200, description="The key of the last item that you have."
    )
    limit: int = Field(100, ge=1, le=MAX_LIMIT)


PageParameters = Annotated[PageQuery, Query()]


def page_of(request: HttpRequest, rows: QuerySet[Row], key: str, cut: PageQuery) -> dict[str, Any]:
    """Return what `Page` says: rows by a unique key, ascending.

    A key that is a number is compared as one; what is no number stands before all of them.
    """
    rows = rows.order_by(key)
    if cut.after:
        rows = rows.filter(**{f"{key}__gt": cut.after if is_text(rows, key) else number_in(cut.after)})
    fetched_rows = list(rows[: cut.limit + 1])
    items, more = fetched_rows[: cut.limit], len(fetched_rows) > cut.limit
    return {"items": items, "next": next_address(request, str(getattr(items[-1], key))) if more else None}


def keys_of_page(
    request: HttpRequest, keys: Sequence[int], cut: PageQuery
) -> tuple[Sequence[int], str | None]:
    """Return the keys of a page, and the address of the next one.

    keys: all, in an order of their own. If that of `after` is not among them any more, the first page is
    returned, so that no key is left out.
    """
    after = number_in(cut.after)
    start = keys.index(after) + 1 if after in keys else 0
    page = keys[start : start + cut.limit]
    more = start + cut.limit < len(keys)
    return page, next_address(request, str(page[-1])) if more else None


def is_text(rows: QuerySet[Row], key: str) -> bool:
    return isinstance(rows.model._meta.get_field(key), CharField)


def number_in(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else -1


def next_address(request: HttpRequest, key: str) -> str:
    query = request.GET.copy()
    query["after"] = key
    return full_address(request, f"{request.path}?{query.urlencode()}")
