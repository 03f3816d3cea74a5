"""What stands between two dollars: a formula, or prices, variables of a shell, and prose between two formulas.

The rules of Pandoc, Jupyter and GitHub (no space inside the dollars, no digit after the closing one) are evidence here,
not law: authors break each of them in formulas, but rarely in formulas that also read as prices, names or prose.
"""

from __future__ import annotations

import re

MAX_BODY = 500
"""Only so many characters between two dollars are looked at."""
CONTEXT = 16
"""So many characters before and after a dollar are looked at."""

_CURRENCIES = "R|RD|US|USD|U\\.S\\.|C|CA|CAD|CAN|CDN|A|AU|AUD|NZ|NZD|HK|S|SG|SGD|NT|MX|Mex|AR|CL|COL|BZ|TT|FJ"
"""What stands before the dollar of a country, as in ``R$ 4.182``."""
_AFTER_CURRENCY = re.compile(rf"(?:\A|[^\w$\\{{}}])(?:{_CURRENCIES})\Z")
_AMOUNT = r"\d[\d.,']*(?:[kKmMbB]n?)?"
_BLANK = "[ \u00a0\u202f]"
_EDGE = "\\s.,;:!?()*~/|–—\u3000-\u9fff\uff00-\uff0f-"
"""What may stand beside an amount, in a class of characters."""
_STARTS_WITH_AMOUNT = re.compile(rf"{_BLANK}?{_AMOUNT}")
_PRICE = re.compile(r"\s?\d[\d,.' ]*(?:[kKmMbB]n?)?(?![A-Za-z])")
_NUMBER = re.compile(r"\s*\d+(?:[.,]\d+)*\s*")
_AFTER_AMOUNT = re.compile(rf"(?:\A|(?![.,])[_{_EDGE}]){_AMOUNT}({_BLANK}?)\Z")
_TO_AMOUNT = re.compile(rf"(?:[_{_EDGE}].*)?[_{_EDGE}]{_AMOUNT}{_BLANK}?", re.DOTALL)
_BETWEEN_AMOUNTS = re.compile(rf"[_{_EDGE}].*\w", re.DOTALL)
_NAME = re.compile(r"\{[A-Za-z_]\w*\}|[A-Z_][A-Z0-9_]+(?![\w$])|[a-z]\w*_\w{2,}(?![\w$])")
_MATHEMATICAL = re.compile(r"[\\^_=<>{}+*/|&]")
_CERTAIN = re.compile(r"[\\^{}]|_(?!_)")
_UNFINISHED = re.compile(r"[=<>+*/|&-]\s+\Z")
_BOX = re.compile(r"\\(?:text\w{0,6}|[mh]box|mathrm|mathit|operatorname)\*?\s{0,8}\{[^{}]*\}")
_PROSE_WORD = re.compile(
    r"(?<![\\A-Za-z{])(?!(?:sin|cos|tan|cot|sec|log|exp|lim|max|min|sup|inf|mod|gcd|det|dim|ker)\b)"
    r"(?:[A-Za-z\u00c0-\u024f\u0400-\u04ff]{3,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,})(?![A-Za-z}])"
)


def is_formula(before: str, body: str, after: str) -> bool:
    """Whether what is between two single dollars is a formula.

    :param before: the characters before the opening dollar.
    :param body: the characters between the dollars, or the first of them.
    :param after: the characters after the closing dollar.
    """
    if not body:
        return True
    prose = len(_PROSE_WORD.findall(_BOX.sub(" ", body)))
    mathematical = _MATHEMATICAL.search(body) is not None
    certain = _CERTAIN.search(body) is not None
    if not certain and _reads_as_prices(before, body, after, prose, mathematical):
        return False
    if not certain and prose and body.count("**") % 2:  # bold text begins or ends between the dollars
        return False
    if _NAME.match(body) and _NAME.match(after):
        return False
    left, right = body[0].isspace(), body[-1].isspace()
    if not (left or right):
        return True
    follows = after[:1].isalnum()
    if right and not left and follows:  # the dollar opens what comes after it
        return prose == 0 and (certain or not (_UNFINISHED.search(body) or _NAME.match(after)))
    if mathematical:
        return True
    return prose < (1 if follows else 2)


def _reads_as_prices(before: str, body: str, after: str, prose: int, mathematical: bool) -> bool:
    """Whether the text between two dollars is what comes after, or before, the sign of a price."""
    if _AFTER_CURRENCY.search(before) and _STARTS_WITH_AMOUNT.match(body):
        return True
    if prose and not mathematical and _AFTER_CURRENCY.search(body) and _STARTS_WITH_AMOUNT.match(after):
        return True  # the second dollar begins a price
    if _PRICE.match(body) and not _NUMBER.fullmatch(body):
        if after[:1].isdigit():
            return True
        if not mathematical and prose >= (1 if body[-1].isspace() else 2):
            return True
    amount = _AFTER_AMOUNT.search(before)
    if amount is None:
        return False
    if after[:1].isdigit() and not mathematical and _BETWEEN_AMOUNTS.match(body):
        return True
    if _TO_AMOUNT.fullmatch(body) is None or ("=" in body and amount.group(1)):
        return False
    return not amount.group(1) or body[0].isspace() or body[0] in "/,;"


def is_plain(before: str, after: str) -> bool:
    """Whether a dollar that opens no formula is the sign of a price, or of a variable of a shell."""
    if _PRICE.match(after) or _AFTER_CURRENCY.search(before) or _AFTER_AMOUNT.search(before):
        return True
    return _NAME.match(after) is not None and not (before[-1:].isalnum() or before.endswith((")", "]", "}")))
