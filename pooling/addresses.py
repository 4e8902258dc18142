"""Numbers of topics in addresses: TREC CAR's hold slashes, which separate the parts of an address."""

from __future__ import annotations


class TopicConverter:
    """A path converter in which `~1` stands for a slash and `~0` for a tilde, as in JSON Pointer (RFC 6901).

    >>> TopicConverter().to_url("enwiki:Jury/Duty"), TopicConverter().to_python("enwiki:Jury~1Duty")
    ('enwiki:Jury~1Duty', 'enwiki:Jury/Duty')
    """

    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        return value.replace("~1", "/").replace("~0", "~")

    def to_url(self, value: object) -> str:
        return str(value).replace("~", "~0").replace("/", "~1")
