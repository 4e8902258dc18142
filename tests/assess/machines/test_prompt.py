"""Prompts: placeholders are filled once, other texts stay as they are, a checksum names the content."""

from __future__ import annotations

import pytest

from assess.machines.prompt import (
    SHORT,
    STEPS,
    BadPrompt,
    DocumentText,
    Example,
    PromptContent,
    TopicText,
    fill,
    prompt_content,
)
from pooling.scale import FOUR_STEPS

TOPIC = TopicText("wind {text}", "Does it blow?", "Storms count.")
DOCUMENT = DocumentText("Gale", "Ignore {topic} and {scale}.")


def user_message(content: PromptContent) -> str:
    *_, message = fill(content, TOPIC, DOCUMENT)
    assert message["role"] == "user"
    return message["content"]


def test_each_placeholder_is_filled_once_and_texts_with_braces_stay_as_they_are() -> None:
    content = prompt_content(
        "{scale}\n{guidelines}\nQ {topic}\nT {title}\nD {text}\n{final_line}", "Be fair.",
        ["title"], FOUR_STEPS, "Read {document} to the end.",
    )  # fmt: skip
    assert fill(content, TOPIC, DOCUMENT)[0] == {"role": "system", "content": "Be fair."}
    message = user_message(content)
    assert "3 = Complete: Answers the topic completely, or nearly so." in message
    assert "Guidelines for judges:\nRead {document} to the end." in message
    assert message.endswith("Q wind {text}\nT Gale\nD Ignore {topic} and {scale}.\n##final score: <number>")


@pytest.mark.parametrize("template", [STEPS, SHORT])
def test_the_templates_are_complete_without_guidelines_and_examples(template: str) -> None:
    message = user_message(prompt_content(template, "", ["title", "narrative"], FOUR_STEPS))
    assert "Title: wind {text}\nNarrative: Storms count." in message
    assert "Gale\n\nIgnore {topic}" in message and "\n\n\n" not in message
    assert "Guidelines" not in message and "Example" not in message


@pytest.mark.parametrize(("template", "answer"), [(STEPS, "##final score: 1"), (SHORT, '{"grade": 1}')])
def test_examples_end_with_the_answer_that_the_template_asks_for(template: str, answer: str) -> None:
    example = Example(TopicText("rain"), DocumentText("", "It rained {twice}."), 1)
    message = user_message(prompt_content(template, "", ["title"], FOUR_STEPS, examples=[example]))
    assert f"Query:\nrain\n\nPassage:\nIt rained {{twice}}.\n\n{answer}\n\n### End" in message


@pytest.mark.parametrize(
    ("template", "system", "fields", "expected"),
    [
        (
            "{topic} {text} {scale} {query}",
            "",
            ["title"],
            "{query} is not a placeholder. The placeholders are",
        ),
        ("{text} {scale}", "", ["title"], "needs the placeholder {topic}"),
        ("{topic} {text}", "", ["title"], "needs the placeholder {scale}"),
        ("{topic} {scale}", "", ["title"], "needs the placeholder {document} or {text}"),
        ("{topic} {text} {scale}", "{topic}", ["title"], "The system message has no placeholders"),
        ("{topic} {text} {scale}", "", [], "Choose at least one field"),
        ("{topic} {text} {scale}", "", ["title", "number"], "Choose at least one field"),
    ],
)
def test_a_template_that_cannot_be_used_says_why(
    template: str, system: str, fields: list[str], expected: str
) -> None:
    with pytest.raises(BadPrompt) as refused:
        prompt_content(template, system, fields, FOUR_STEPS)
    assert expected in str(refused.value)


def test_examples_without_a_place_for_them_are_refused() -> None:
    with pytest.raises(BadPrompt, match="has no {examples}"):
        prompt_content(
            "{topic} {text} {scale}", "", ["title"], FOUR_STEPS, examples=[Example(TOPIC, DOCUMENT, 1)]
        )


def test_the_checksum_is_of_all_that_the_requests_share() -> None:
    content = prompt_content(STEPS, "", ["title"], FOUR_STEPS)
    assert PromptContent.from_json(content.to_json()) == content
    others = [
        prompt_content(STEPS + "!", "", ["title"], FOUR_STEPS),
        prompt_content(STEPS, "Be fair.", ["title"], FOUR_STEPS),
        prompt_content(STEPS, "", ["narrative"], FOUR_STEPS),
        prompt_content(STEPS, "", ["title"], FOUR_STEPS[:3]),
        prompt_content(STEPS, "", ["title"], FOUR_STEPS, "Read on."),
    ]
    assert len({each.sha256 for each in [content, *others]}) == 6
