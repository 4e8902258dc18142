"""Pyramids and annotations in the form of DUCView, with invented summaries."""

from __future__ import annotations

from collections.abc import Mapping

from assess.pyramids.model import Contributor, Part, PeerAnnotation, Pyramid, Unit, annotate, contributor_of

HEADER = r"[-]*\n D[0-9]*-[A-Z]\.M\.100\.[A-Z]\.[A-Z]\n[-]*\n"
DEFINITIONS = """\
 <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>
 <!ELEMENT startDocumentRegEx (#PCDATA)>
 <!ELEMENT text (line*)>
 <!ELEMENT line (#PCDATA)>
 <!ELEMENT scu (contributor)+>
 <!ATTLIST scu uid CDATA #REQUIRED
               label CDATA #REQUIRED
               comment CDATA #IMPLIED>
 <!ELEMENT contributor (part)+>
 <!ATTLIST contributor label CDATA #REQUIRED
                       comment CDATA #IMPLIED>
 <!ELEMENT part EMPTY>
 <!ATTLIST part label CDATA #REQUIRED
                start CDATA #REQUIRED
                end   CDATA #REQUIRED>

]>

"""
PYRAMID = r"""<pyramid>
<startDocumentRegEx><![CDATA[[-]*\n D[0-9]*-[A-Z]\.M\.100\.[A-Z]\.[A-Z]\n[-]*\n]]></startDocumentRegEx>
 <text>
  <line>#2</line>
  <line>-----</line>
  <line> D0701-A.M.100.B.C</line>
  <line>-----</line>
  <line></line>
  <line>Boats of wood float, says &quot;The Mast&quot;.</line>
  <line>A sloop has one mast.</line>
  <line></line>
  <line>-----</line>
  <line> D0701-A.M.100.B.D</line>
  <line>-----</line>
  <line></line>
  <line>Sloops &amp; cutters: one mast.</line>
  <line>Wood floats.</line>
 </text>
 <scu uid="4" label="Wood floats" comment="boats or not">
  <contributor label="wood float">
   <part label="wood float" start="44" end="54"/>
  </contributor>
  <contributor label="Wood floats">
   <part label="Wood floats" start="156" end="167"/>
  </contributor>
 </scu>
 <scu uid="9" label="A sloop has one mast">
  <contributor label="A sloop has one mast">
   <part label="A sloop has one mast" start="73" end="93"/>
  </contributor>
  <contributor label="Sloops...one mast" comment="and &quot;cutters&quot;">
   <part label="Sloops" start="128" end="134"/>
   <part label="one mast" start="146" end="154"/>
  </contributor>
 </scu>
 <scu uid="11" label="The Mast is a paper">
  <contributor label="says &quot;The Mast&quot;">
   <part label="says &quot;The Mast&quot;" start="56" end="71"/>
  </contributor>
 </scu>
</pyramid>
"""
ANNOTATION = """\
<annotation>
 <text>
  <line>A sloop's mast</line>
  <line>is one, and only one.</line>
  <line>Nobody knows why.</line>
 </text>
 <peerscu uid="4" label="(2) Wood floats">
 </peerscu>
 <peerscu uid="9" label="(2) A sloop has one mast">
  <contributor label="A sloop's mast is one">
   <part label="A sloop's mast is one" start="0" end="21"/>
  </contributor>
  <contributor label="only one">
   <part label="only one" start="27" end="35"/>
  </contributor>
 </peerscu>
 <peerscu uid="11" label="(1) The Mast is a paper">
 </peerscu>
 <peerscu uid="0" label="All non-matching SCUs go here">
  <contributor label="Nobody knows why">
   <part label="Nobody knows why" start="37" end="53"/>
  </contributor>
 </peerscu>
</annotation>
"""
PYR = f'<?xml version="1.0"?>\n<!DOCTYPE pyramid [\n{DEFINITIONS}{PYRAMID}'.encode()
PAN = f"""<?xml version="1.0"?>
<!DOCTYPE peerAnnotation [
 <!ELEMENT peerAnnotation (pyramid,annotation)>
 <!ELEMENT annotation (text,peerscu+)>
 <!ELEMENT peerscu (contributor)*>
 <!ATTLIST peerscu uid CDATA #REQUIRED
                   label CDATA #REQUIRED
                   comment CDATA #IMPLIED>
{DEFINITIONS}<peerAnnotation>
{PYRAMID}{ANNOTATION}</peerAnnotation>
""".encode()


def pyramid_with(tiers: Mapping[int, int], order: int) -> Pyramid:
    """Return a pyramid with so many units of every weight; uids count from 1, the heaviest first."""
    weights = [weight for weight in sorted(tiers, reverse=True) for _ in range(tiers[weight])]
    text, parts = "", dict[int, list[Part]]()
    for model in range(order):
        text += f"-----\n D0701-A.M.100.B.{'ABCDEFGH'[model]}\n-----\n\n"
        for uid, weight in enumerate(weights, start=1):
            if (model - uid) % order < weight:
                words = f"Unit {uid} in model {model}"
                parts.setdefault(uid, []).append(Part(len(text), len(text) + len(words)))
                text += f"{words}.\n"
    units = tuple(
        Unit(uid, f"Unit {uid}", tuple(contributor_of(text, [part]) for part in parts[uid]))
        for uid, _ in enumerate(weights, start=1)
    )
    return Pyramid(text, units, HEADER)


def peer_with(pyramid: Pyramid, spans: Mapping[int, int]) -> PeerAnnotation:
    """Return an annotation with so many contributors of every uid."""
    text, contributors = "", dict[int, list[Contributor]]()
    for uid, count in spans.items():
        for _ in range(count):
            part = Part(len(text), len(text) + len(f"It says {uid}"))
            text += f"It says {uid}.\n"
            contributors.setdefault(uid, []).append(contributor_of(text, [part]))
    return annotate(pyramid, text, contributors)
