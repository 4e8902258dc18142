"""The page of the operations of the REST API, from its OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from itertools import groupby
from typing import Any, NamedTuple

from config.api import api
from docs.generator.markdown import code, prose, table

Schema = Mapping[str, Any]
LIMITS = {
    "minimum": "at least",
    "maximum": "at most",
    "maxLength": "length at most",
    "minLength": "length at least",
}


class Operation(NamedTuple):
    """An operation of the document. about: its part of the document."""

    method: str
    path: str
    about: Schema

    @property
    def scope(self) -> str:
        """The scope that a token needs."""
        return str(self.about.get("x-token-scope", "read" if self.method == "GET" else "all"))

    @property
    def anchor(self) -> str:
        return f"operation-{self.about['operationId']}"


def operations() -> list[Operation]:
    """Return the operations, by the noun that they are about."""
    paths = api.get_openapi_schema()["paths"]
    found = [
        Operation(method.upper(), path, about) for path, of in paths.items() for method, about in of.items()
    ]
    order = list(dict.fromkeys(each.about["tags"][0] for each in found))
    return sorted(found, key=lambda each: order.index(each.about["tags"][0]))


def pages() -> dict[str, str]:
    return {"rest-api.md": "\n".join(_parts())}


def _parts() -> Iterator[str]:
    yield "# Operations of the REST API\n"
    yield (
        "A token has one of three scopes: *read*, *submit* (reads and submits runs) or *all*. A wider scope"
        " includes the narrower ones. An operation also needs the role in the campaign; see"
        " [REST API](../rest-api.md) for programs, errors and lists.\n"
    )
    for tag, group in groupby(operations(), lambda each: each.about["tags"][0]):
        found = list(group)
        yield f"## {tag.capitalize()}\n"
        yield table(["operation", "does", "scope"], (_row(each) for each in found))
        for each in found:
            yield from _operation(each)
    yield "## Schemas\n"
    for name, schema in sorted(api.get_openapi_schema()["components"]["schemas"].items()):
        yield f"(schema-{name})=\n### {prose(name)}\n"
        if schema.get("description"):
            yield f"{prose(schema['description'])}\n"
        yield _fields(schema)


def _row(each: Operation) -> list[str]:
    summary = prose(each.about["summary"])
    return [f"{each.method} {code(each.path)}", f"[{summary}](#{each.anchor})", each.scope]


def _operation(each: Operation) -> Iterator[str]:
    yield f"({each.anchor})=\n### {prose(each.about['summary'])}\n"
    yield f"{each.method} {code(each.path)}, scope *{each.scope}*\n"
    yield f"{prose(each.about.get('description', ''))}\n"
    parameters = each.about.get("parameters", [])
    if parameters:
        rows = (
            [
                code(one["name"]),
                one["in"],
                _type(one["schema"]),
                prose(one.get("description", "") or one["schema"].get("description", "")),
            ]
            for one in parameters
        )
        yield table(["parameter", "in", "type", "meaning"], rows)
    for kind, content in each.about.get("requestBody", {}).get("content", {}).items():
        yield f"Body, {code(kind)}:\n"
        schema = content["schema"]
        yield _fields(schema) if "properties" in schema else f"{_type(schema)}\n"
    yield (
        "Answers: "
        + "; ".join(_answer(*answer) for answer in sorted(each.about["responses"].items()))
        + ".\n"
    )


def _answer(status: int | str, about: Schema) -> str:
    types = {_type(content["schema"]) for content in about.get("content", {}).values() if "schema" in content}
    words = f"{status} {HTTPStatus(int(status)).phrase}"
    return f"{words} ({', '.join(sorted(types))})" if types - {""} else words


def _fields(schema: Schema) -> str:
    required = schema.get("required", [])
    rows = [
        [code(name), _type(of), "yes" if name in required else "no", prose(of.get("description", ""))]
        for name, of in schema.get("properties", {}).items()
    ]
    return table(["field", "type", "required", "meaning"], rows) if rows else f"{_type(schema)}\n"


def _type(schema: Schema) -> str:
    """Return the type of a value in words, with a link to its schema."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{prose(name)}](#schema-{name})"
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return " or ".join(dict.fromkeys(_type(each) for each in schema[word]))
    if "enum" in schema:
        return ", ".join(map(code, schema["enum"]))
    if "const" in schema:
        return code(schema["const"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    limits = [f"{words} {schema[limit]}" for limit, words in LIMITS.items() if limit in schema]
    kind = str(schema.get("format") or schema.get("type") or "any value")
    default = f", default {code(schema['default'])}" if schema.get("default") not in (None, "") else ""
    return ", ".join([kind, *limits]) + default
