"""How far judges agree: every coefficient, each a value or the reason why there is none; never a bare nan."""
