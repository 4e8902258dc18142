"""SQL that is written once is what Django writes each time, and does the same."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from threading import Thread
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Model, QuerySet

import accounts
import assess
import pooling
from accounts.models import ApiToken, User
from accounts.prepared import MARKS, Prepared, PreparedInsert, PreparedUpdate
from assess.models import Judgment, JudgmentEvent


def prepared() -> Iterator[tuple[str, Any]]:
    """Whatever the house has prepared, by name."""
    for floor in (accounts, pooling, assess):
        for module in pkgutil.walk_packages(floor.__path__, f"{floor.__name__}."):
            if ".migrations." in module.name or ".management." in module.name:
                continue
            for name, found in vars(importlib.import_module(module.name)).items():
                if isinstance(found, Prepared | PreparedUpdate | PreparedInsert):
                    yield f"{module.name}.{name}", found


FOUND = dict(prepared())
READS = {name: found for name, found in FOUND.items() if isinstance(found, Prepared)}
UPDATES = {name: found for name, found in FOUND.items() if isinstance(found, PreparedUpdate)}
INSERTS = {name: found for name, found in FOUND.items() if isinstance(found, PreparedInsert)}


def test_there_are_some() -> None:
    assert len(READS) > 5
    assert UPDATES
    assert len(INSERTS) > 1


def asked(deed: Callable[[], object]) -> str:
    """Return the SQL that a deed would send to the database, which does not get it."""
    found = list[str]()

    def note(execute: Any, sql: str, parameters: Any, *rest: Any) -> None:
        found.append(sql % tuple(parameters))
        raise InterruptedError

    with connection.execute_wrapper(note), suppress(InterruptedError):
        deed()
    (only,) = found
    return only


def some_values(prepared: Prepared[..., Any] | PreparedUpdate[...]) -> list[int | str]:
    numbers = count(4321)
    return [next(numbers) if isinstance(mark, int) else f"text {next(numbers)}" for mark in prepared.marks]


@pytest.mark.django_db
@pytest.mark.parametrize("name", READS)
def test_a_query_is_what_django_writes_for_these_values(name: str) -> None:
    values = some_values(READS[name])
    assert asked(lambda: READS[name](*values)) == asked(lambda: list(READS[name].query(*values)))


@pytest.mark.django_db
@pytest.mark.parametrize("name", UPDATES)
def test_an_update_is_what_django_writes_for_these_values(name: str) -> None:
    update, values = UPDATES[name], some_values(UPDATES[name])
    assert asked(lambda: update(*values)) == asked(lambda: update.query(*values).update(**update.changes))


EVENT = {
    "uuid": UUID(int=7),
    "judge_id": 1,
    "pooled_id": 2,
    "text_hash": "ab",
    "source": "key",
    "position": 4,
}
EVIDENCE = {"quote": "said", "paragraph": 0, "start": 5}
OBJECTS: list[Model] = [
    JudgmentEvent(**EVENT, relevance=2, active_seconds=2.5, highlighted=True, evidence=EVIDENCE),
    JudgmentEvent(**EVENT, reason="broken", comment="No text.", highlighted=False),
    Judgment(judge_id=1, pooled_id=2, event_id=3, relevance=2),
    Judgment(judge_id=1, pooled_id=2, event_id=3),
]


@pytest.mark.django_db
@pytest.mark.parametrize("name", INSERTS)
def test_an_insert_is_what_django_writes_for_this_object(name: str) -> None:
    insert = INSERTS[name]
    objects = [each for each in OBJECTS if isinstance(each, insert.model)]
    assert objects
    fields = [field.name for field in insert.model._meta.concrete_fields if not field.primary_key]
    update = [field for field in fields if field not in insert.instead]
    conflict: dict[str, Any] = {"update_conflicts": True, "unique_fields": insert.instead}
    for each in objects:
        if insert.instead:
            create = partial(insert.model._base_manager.bulk_create, [each], update_fields=update, **conflict)
        else:
            create = partial(each.save, force_insert=True)
        assert asked(partial(insert, each)) == asked(create)


def of_name(username: str) -> QuerySet[User]:
    return User.objects.filter(username=username)


awaken = PreparedUpdate(of_name, is_active=True)
add = PreparedInsert(ApiToken)
put = PreparedInsert(ApiToken, instead=["token_hash"])


def test_an_update_changes_what_its_query_finds(ada: User) -> None:
    eve = User.objects.create(username="eve", is_active=False)
    awaken("ada")
    ada.refresh_from_db()
    eve.refresh_from_db()
    assert (ada.is_active, eve.is_active) == (True, False)


def test_an_insert_gives_the_object_its_key(ada: User) -> None:
    tokens = [ApiToken(user=ada, name=f"new {number}", token_hash=f"new {number}") for number in range(2)]
    for token in tokens:
        add(token)
    assert [token._state.adding for token in tokens] == [False, False]
    assert list(ApiToken.objects.filter(name__startswith="new").order_by("pk")) == tokens
    tokens[0].name = "changed"
    tokens[0].save()
    assert ApiToken.objects.get(pk=tokens[0].pk).name == "changed"


def test_what_is_there_already_is_refused_or_takes_over(ada: User) -> None:
    before = ApiToken.objects.get(token_hash="1")  # noqa: S106
    with pytest.raises(IntegrityError), transaction.atomic():
        add(ApiToken(user=ada, name="again", token_hash="1"))  # noqa: S106
    put(ApiToken(user=ada, name="again", token_hash="1"))  # noqa: S106
    put(ApiToken(user=ada, name="new", token_hash="new"))  # noqa: S106
    assert ApiToken.objects.get(pk=before.pk).name == "again"
    assert ApiToken.objects.count() == 3


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
def first_names(at_least: int, count: int) -> QuerySet[User, str]:
    return User.objects.filter(pk__gte=at_least).order_by("pk").values_list("username", flat=True)[:count]


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


def test_a_value_may_say_how_many_rows(ada: User) -> None:
    User.objects.create(username="eve")
    assert [first_names(ada.pk, count) for count in range(4)] == [[], ["ada"], ["ada", "eve"], ["ada", "eve"]]


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
