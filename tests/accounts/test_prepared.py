"""Queries whose SQL is written once find what the same queries find when Django writes it each time."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from itertools import count
from threading import Thread
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

import accounts
import assess
import pooling
from accounts.models import ApiToken, User
from accounts.prepared import MARKS, Prepared


def prepared() -> Iterator[tuple[str, Prepared[..., Any]]]:
    """Every prepared query of the house, by name."""
    for floor in (accounts, pooling, assess):
        for module in pkgutil.walk_packages(floor.__path__, f"{floor.__name__}."):
            if ".migrations." in module.name or ".management." in module.name:
                continue
            for name, found in vars(importlib.import_module(module.name)).items():
                if isinstance(found, Prepared):
                    yield f"{module.name}.{name}", found


PREPARED = dict(prepared())


def test_there_are_some() -> None:
    assert len(PREPARED) > 5


@pytest.mark.django_db
@pytest.mark.parametrize("name", PREPARED)
def test_the_sql_is_what_django_writes_for_these_values(name: str) -> None:
    query, numbers = PREPARED[name], count(4321)
    values = [next(numbers) if isinstance(mark, int) else f"text {next(numbers)}" for mark in query.marks]
    asked: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, parameters: Any, *rest: Any) -> Any:
        asked.append((sql, tuple(parameters)))
        return execute(sql, parameters, *rest)

    with connection.execute_wrapper(note):
        query(*values)
    sql, parameters = query.query(*values).query.sql_with_params()
    assert asked == [(sql, parameters)]


@Prepared
def tokens(username: str, at_least: int) -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(user__username=username, pk__gte=at_least).select_related("user")


@Prepared
def pairs(username: str) -> QuerySet[ApiToken, tuple[str, str]]:
    return ApiToken.objects.filter(user__username=username).values_list("name", "scope")


@Prepared
def names(username: str) -> QuerySet[User, str]:
    return User.objects.filter(username=username).values_list("name", flat=True)


@Prepared
def partly(username: str) -> QuerySet[User]:
    return User.objects.filter(username=username).defer("name", "email")


@pytest.fixture
def ada(db: None) -> User:
    ada = User.objects.create(username="ada", name="Ada", is_active=False)
    for number in (1, 2):
        ApiToken.objects.create(user=ada, name=f"token {number}", token_hash=f"{number}")
    return ada


def test_rows_are_objects_tuples_or_values(ada: User, django_assert_num_queries: Any) -> None:
    first, second = ApiToken.objects.order_by("pk")
    with django_assert_num_queries(1):
        found = tokens("ada", first.pk)
        assert [(token, token.user.name, token.user.is_active) for token in found] == [
            (first, "Ada", False),
            (second, "Ada", False),
        ]
    assert tokens("ada", second.pk) == [second]
    assert tokens("eve", 1) == []
    assert pairs("ada") == [("token 1", "all"), ("token 2", "all")]
    assert names("ada") == ["Ada"]


def test_what_is_deferred_is_read_when_it_is_asked_for(ada: User, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        (found,) = partly("ada")
    with django_assert_num_queries(1):
        assert found.name == "Ada"


def test_an_object_of_one_answer_is_not_that_of_the_next(ada: User) -> None:
    (found,), (again,) = partly("ada"), partly("ada")
    found.username = "changed"
    assert again.username == "ada"


@pytest.mark.django_db(transaction=True)
def test_each_thread_asks_over_its_own_connection() -> None:
    User.objects.create(username="ada", name="Ada")
    assert names("ada") == ["Ada"]
    found: list[list[str]] = []

    def ask() -> None:
        try:
            found.append(names("ada"))
        finally:
            connection.close()

    thread = Thread(target=ask)
    thread.start()
    thread.join()
    assert found == [["Ada"]]


@pytest.mark.parametrize("values", [(), ("ada", "eve")])
def test_too_few_and_too_many_values_are_refused(values: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="zip"):
        names(*values)


def test_a_value_that_the_sql_does_not_hold_is_refused() -> None:
    nowhere = Prepared[[int], User](nobody)
    with pytest.raises(AssertionError, match="nobody"):
        nowhere(1)


def nobody(pk: int) -> QuerySet[User]:
    return User.objects.filter(pk=7 if pk else 8)


def test_marks_are_told_apart() -> None:
    assert len({mark(place) for mark in MARKS.values() for place in range(9)}) == 18
