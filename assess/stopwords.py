"""English words of a topic that are not highlighted in its documents."""

from __future__ import annotations

# Words that occur in every text, and words with which a topic introduces its subject ("find documents that
# discuss ..."). The list is short on purpose: an unnecessary highlight is seen at once, a missing one is not.
_WORDS = """
    a about after against all also am an and any are as at be because been before being between both but
    by can could did do does doing during each few for from had has have having he her here hers him his
    how i if in into is it its itself just may me might more most must my no nor not of on once only or
    other our out over own same shall she should so some such than that the their them then there these
    they this those through to too under until up upon us very was we were what when where whether which
    while who whom whose why will with within without would you your describe describes discuss
    discusses discussing document documents find identify information relevant
"""
STOP_WORDS = frozenset(_WORDS.split())
