"""The markup of an answer, without what a browser does not show: blanks, line breaks, the token of a form."""

from __future__ import annotations

import re
from typing import Any

BLOCKS = (
    "article|aside|body|button|dd|details|dialog|div|dl|dt|fieldset|footer|form|h[1-6]|head|header|html|label|legend"
    "|li|link|main|meta|nav|ol|optgroup|option|p|script|section|select|summary|table|tbody|td|tfoot|th|thead|title"
    "|tr|ul|circle|line|path|rect|svg"
)
TAG = re.compile(r"""<(?:"[^"]*"|'[^']*'|[^'">])*>""")
TOKEN = re.compile(r"""(?<=name="csrfmiddlewaretoken" value=")\w+""")
AROUND_A_BLOCK = re.compile(rf"\s*(</?(?:{BLOCKS})(?=[\s>/])(?:\"[^\"]*\"|'[^']*'|[^'\">])*>)\s*")


def _one_line(tag: re.Match[str]) -> str:
    return re.sub(r"\s*(/?>)$", r"\1", re.sub(r"\s+", " ", tag[0]))


def markup(answer: Any) -> str:
    """HTML with one blank between words, none beside a block, tags on one line; any other answer as sent.

    The token of a form is left out: it is random, and one of 64 letters has a given pair such as "D2" in one
    page of sixty.
    """
    kind = answer.headers["Content-Type"]
    text = str(answer.content.decode("latin-1" if kind.startswith("image/") else "utf-8"))
    if not kind.startswith("text/html"):
        return text
    text = TOKEN.sub("", text)
    return AROUND_A_BLOCK.sub(r"\1", re.sub(r"\s+", " ", TAG.sub(_one_line, text)))
