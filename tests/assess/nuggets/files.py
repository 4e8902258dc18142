"""Files of nugget banks and assignments in every form, as public tools write them."""

from __future__ import annotations

import json

NUGGETS = (
    b'{"query": "What is Python?", "qid": "q1", "nuggets": ['
    b'{"text": "Python is a high-level programming language", "importance": "vital"}, '
    b'{"text": "Python is used for web development", "importance": "okay"}]}\n'
)
# From nuggets_308.v3.json of hltcoe/argue-viz, which is printed over many lines, shortened.
QUESTIONS = b"""{
  "query_id": "308",
  "title_query": "cosmetic surgery tourism",
  "full_query": "Cosmetic surgery is a major focus of medical tourism.",
  "test_collection": "neuclir",
  "format_version": "v3",
  "nugget_bank": {
    "How many people travel globally for medical/cosmetic treatment?": {
      "question": "How many people travel globally for medical/cosmetic treatment?",
      "answers": {
        "Over 20 million": {
          "answer": "Over 20 million",
          "references": [
            {
              "doc_id": "31afe2fe-8359-4d43-9310-bee7db53d977"
            }
          ]
        },
        "over 14 million ": {
          "answer": "over 14 million ",
          "references": []
        }
      },
      "question_id": "f19a669edb2202871cfeab379b59812a",
      "aggregator_type": "OR",
      "query_id": "308",
      "creator": [
        {
          "is_human": true,
          "creation_date": "2025-07-02T20:10:37.638716+00:00",
          "format": "v2"
        }
      ]
    },
    "How many medical tourists choose Thailand each year?": {
      "question": "How many medical tourists choose Thailand each year?",
      "answers": {
        "More than 2 million": {
          "answer": "More than 2 million",
          "references": []
        }
      },
      "question_id": "e56a4e41b7cc19012108dbad6247fb49",
      "aggregator_type": "AND",
      "query_id": "308"
    }
  }
}
"""
TOOL = (
    b'{"nugget_dict": {"Who?": {"Ann": ["D1", "D2"], "Bob": []}, "When?": {"Now": ["D3"]}},'
    b' "group_assignment": {"When?": "time"}}'
)
SHORT = b'{"Who?": ["OR", {"Ann": ["D1", "D2"], "Bob": []}],\n "When?": ["AND", {"Now": ["D3"]}]}\n'


def assigned(topic: str = "q1", run: str = "run-123", *assignments: str, **more: object) -> bytes:
    """Return a line of assignments of two vital nuggets and an okay one."""
    given = assignments or ("support", "partial_support", "not_support")
    rows = [
        {"text": f"Fact {place}", "importance": "okay" if place > 2 else "vital", "assignment": assignment}
        for place, assignment in enumerate(given, start=1)
    ]
    row = {
        "query": "What is Python?",
        "qid": topic,
        "answer_text": "Python is a language.",
        "response_length": 4,
        "run_id": run,
        "nuggets": rows,
    }
    return json.dumps(row | more).encode() + b"\n"
