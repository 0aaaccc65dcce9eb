"""Tells texts that look as if a key, a password or the number of a card stood in them.

Too many rather than too few: a memory that is not kept costs a sentence, one that is kept stands in every prompt.
"""

import re

_NAMED = re.compile(
    r"\b(?:pass(?:word|phrase|code|wort)|passwd|pwd|kennwort|contraseña|mot de passe|credentials?|secret"
    r"|api[\s_-]?keys?|access[\s_-]?(?:key|token)|auth[\s_-]?token|bearer|private[\s_-]?key|token|pin(?:[\s_-]?code)?"
    r"|cvv|cvc|otp|2fa|ssn|social security)\b|密码|口令|密钥|令牌|验证码|身份证|银行卡",
    re.IGNORECASE,
)
_SHAPED = re.compile(
    r"-----BEGIN|\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abprs]|hf|AKIA|ASIA|AIza|eyJ)[-_]?[A-Za-z0-9_\-]{12,}"
    r"|://[^/\s:@]+:[^/\s@]+@"
    r"|\b[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){3,7}\b"
)
_LONG = re.compile(r"[A-Za-z0-9+/=_\-]{16,}")
_CARD = re.compile(r"(?<!\d)(?:\d[ -]?){12,18}\d(?!\d)")


def looks_secret(text: str) -> bool:
    """Tell whether something that must stay secret may stand in a text."""
    if _NAMED.search(text) or _SHAPED.search(text) or _CARD.search(text):
        return True
    return any(_is_random(match.group()) for match in _LONG.finditer(text))


def _is_random(word: str) -> bool:
    """Tell a key from a long word, a file name or a date: letters and digits in turn, again and again."""
    changes = len(re.findall(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])|[a-z](?=[A-Z])", word))
    return changes >= 4
