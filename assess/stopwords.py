"""Words that are not worth marking in any text, by language."""

from __future__ import annotations

# Words that stand in every text, and words with which a topic only says that it is one ("find documents that
# discuss ..."). Short on purpose: a word too many marked is seen at once, a word too few is not missed.
_LISTS = {
    "english": """
        a about after against all also am an and any are as at be because been before being between both
        but by can could did do does doing during each few for from had has have having he her here hers
        him his how i if in into is it its itself just may me might more most must my no nor not of on
        once only or other our out over own same shall she should so some such than that the their them
        then there these they this those through to too under until up upon us very was we were what when
        where whether which while who whom whose why will with within without would you your describe
        describes discuss discusses discussing document documents find identify information relevant
    """,
    "german": """
        aber alle als am an auch auf aus bei beim bin bis da dann das dass dem den der des die dies diese
        dieser dieses doch du durch ein eine einem einen einer eines er es für hat haben ich ihr im in ist
        ja kann man mit nach nicht noch nur ob oder ohne sein seine sich sie sind so über um und uns unter
        vom von vor war was welche welcher welches wenn wer werden wie wir wird wo zu zum zur zwischen
    """,
    "french": """
        a au aux avec ce ces cette comme d dans de des du elle en est et eux il ils je l la le les leur
        leurs lui mais même ne nous on ou où par pas pour qu que quel quelle quelles quels qui s sa sans
        se ses si son sont sous sur un une vous
    """,
    "spanish": """
        a al ante como con cual cuales cuando de del desde donde e el ella ellos en entre era es esta este
        esto ha han hasta hay la las le les lo los más me mi muy no nos o para pero por que qué quien se
        según ser si sin sobre son su sus también un una uno unos y ya
    """,
}
STOP_WORDS = {language: frozenset(words.split()) for language, words in _LISTS.items()}
