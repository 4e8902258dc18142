"""The page of the pooling strategies."""

from __future__ import annotations

from collections.abc import Iterator

from docs.generator.markdown import code, prose, table
from pooling.formats.run_order import TIE_RULES
from pooling.strategies.registry import STRATEGIES
from pooling.strategies.strategy import Strategy


def pages() -> dict[str, str]:
    return {"strategies.md": "\n".join(_parts())}


def _parts() -> Iterator[str]:
    yield "# Pooling strategies\n"
    yield (
        f"{len(STRATEGIES)} strategies. Every pool also records its seed and its tie rule"
        f" ({', '.join(TIE_RULES)}; see [why there are two orders](../../explanation/tie-orders.md))."
        " A strategy with a minimum per run judges that many first documents of every run,"
        " even if the budget is smaller.\n"
    )
    yield table(["strategy", "selects", "chosen"], (_row(each) for each in STRATEGIES.values()))
    for strategy in STRATEGIES.values():
        yield f"(strategy-{strategy.name})=\n## {prose(strategy.title)}\n"
        yield f"{prose(strategy.meaning[:1].upper() + strategy.meaning[1:])}.\n"
        yield f"Source: {prose(strategy.citation)}.\n"
        yield f"Name in manifests and commands: {code(strategy.name)}. {_reads(strategy)}\n"
        rows = (
            [
                code(each.name),
                "not set" if each.default is None else code(each.default),
                each.expected,
                prose(each.meaning),
            ]
            for each in strategy.parameters
        )
        yield table(["parameter", "default", "value", "meaning"], rows)


def _row(strategy: Strategy) -> list[str]:
    when = "while judges label" if strategy.live else "before judging"
    return [f"[{prose(strategy.title)}](#strategy-{strategy.name})", prose(strategy.meaning), when]


def _reads(strategy: Strategy) -> str:
    scores = (
        "It reads the scores of the runs."
        if strategy.reads_scores
        else "It reads only the ranks in the runs."
    )
    return f"{scores} It chooses the next document by the labels so far." if strategy.live else scores
