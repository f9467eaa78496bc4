"""Pasted texts: codes as people's programs change them."""


def pasted(code: str) -> str:
    """Return a code as it may come from an editor or a mail: wide, with another dash, and what cannot be seen."""
    wide = "".join(chr(ord(letter) + 0xFEE0) if letter.isalnum() else letter for letter in code[:3]) + code[3:]
    return f"\ufeff{wide[:2]}\u00ad\u200b{wide[2:]}\u00a0".replace("-", "\u2011")
