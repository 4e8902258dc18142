"""A pyramid for demonstrations: two units of weight 4, four of 3, six of 2 and eight of 1; and two peers.

Unit 77 and its contributors are those of a lecture on summaries of news about Wales; the rest is invented.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assess.pyramids.model import Contributor, Part, PeerAnnotation, Pyramid, Unit, annotate, contributor_of

MODELS = "ABCD"
HEADER = r"[-]+\n D0031-[A-Z]\.M\.100\.[A-Z]\.[A-Z]\n[-]+\n"
COUNCILS = dict(
    zip(
        MODELS,
        ("37 districts in Wales", "37 district councils", "38 Welsh districts", "37 district councils"),
        strict=True,
    )
)  # how the models put unit 77
UNITS: Sequence[tuple[int, str, str]] = (  # uid, models that express it, label
    (77, "ABCD", "Wales has about 3 dozen district councils"),
    (12, "ABCD", "Unitary authorities replace the two levels of councils"),
    (31, "ABC", "Wales has eight county councils"),
    (45, "ABD", "There are to be about twenty new authorities"),
    (58, "BCD", "The change takes effect in 1996"),
    (63, "ACD", "Each new authority takes over the work of both levels"),
    (9, "AB", "The Welsh Office drew up the plan"),
    (24, "BC", "Elections come a year before"),
    (36, "CD", "Councils fear the loss of posts"),
    (52, "AD", "The cost of the change is disputed"),
    (70, "AC", "Some old counties return by name"),
    (81, "BD", "Cardiff keeps a council of its own"),
    (3, "A", "The bill was published in autumn"),
    (17, "B", "Boundaries follow river valleys"),
    (29, "C", "Police areas stay as they are"),
    (40, "D", "Schools are moved last"),
    (66, "A", "A commission hears complaints"),
    (74, "B", "Staff rules are the same for all"),
    (85, "C", "Debts are shared by population"),
    (90, "D", "Archives stay in the county towns"),
)
PEERS: Mapping[str, Sequence[tuple[int, str]]] = {  # peer -> uid and words of its spans
    "7": (
        (77, "There are 37 districts"),
        (31, "and eight counties"),
        (45, "Twenty authorities will follow"),
        (17, "with boundaries along the valleys"),
        (0, "Nobody was asked"),
    ),
    "8": (
        (12, "One level of councils replaces two"),
        (58, "from 1996 on"),
        (9, "as the Welsh Office planned"),
        (58, "The new councils start in 1996"),
    ),
}


def example_pyramid(labels: Sequence[str] = ()) -> Pyramid:
    """Return the pyramid, of order 4. labels: of all units in their order, instead of those on Wales."""
    own = dict(zip((uid for uid, _, _ in UNITS), labels, strict=True)) if labels else {}
    text, parts = "", dict[int, list[Part]]()
    for model in MODELS:
        text += f"-----\n D0031-A.M.100.A.{model}\n-----\n\n"
        for uid, models, label in UNITS:
            if model in models:
                words = own.get(uid) or (COUNCILS[model] if uid == 77 else label)
                parts.setdefault(uid, []).append(Part(len(text), len(text) + len(words)))
                text += f"{words}.\n"
    units = tuple(
        Unit(uid, own.get(uid, label), tuple(contributor_of(text, [part]) for part in parts[uid]))
        for uid, _, label in UNITS
    )
    return Pyramid(text, units, HEADER)


def example_peers(labels: Sequence[str] = ()) -> dict[str, PeerAnnotation]:
    """Return peer -> its annotation. labels: as of `example_pyramid`; the peers then use these words."""
    pyramid, peers = example_pyramid(labels), PEERS
    if labels:
        words = {unit.uid: unit.label for unit in pyramid.units}
        peers = {peer: [(uid, words.get(uid, own)) for uid, own in spans] for peer, spans in PEERS.items()}
    return {peer: _annotated(pyramid, spans) for peer, spans in peers.items()}


def _annotated(pyramid: Pyramid, spans: Sequence[tuple[int, str]]) -> PeerAnnotation:
    text, contributors = "", dict[int, list[Contributor]]()
    for uid, words in spans:
        part = Part(len(text), len(text) + len(words))
        text += f"{words}.\n"
        contributors.setdefault(uid, []).append(contributor_of(text, [part]))
    return annotate(pyramid, text, contributors)
