"""Which characters separate words, as parts of regular expressions."""

# Scripts without blanks between words: here every character is a word, and a run of them is a phrase.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# All other separators of words. Not [^\W_]: in Python's \w the vowel signs of Hindi are no letters.
BETWEEN = (
    r"\s\x00-\x1f!-/:-@\[-`{-~\x7f-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\xd7\xf7\u060c\u061b\u061f\u0964\u0965"
    r"\u2000-\u200b\u200e-\u206f\u20a0-\u20cf\u2190-\u2bff\u3000-\u3004\u3006-\u303f\ufe10-\ufe6f\uff01-\uff0f\ufffd"
)
