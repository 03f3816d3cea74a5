"""Fractions with fences, brackets in parts, dots over columns, tensors, accents below, and cells that are text."""

from __future__ import annotations

from collections.abc import Sequence

from porism.formula.latex.functions.call import Call, split_top, tex
from porism.formula.tables.commands import ACCENTS
from porism.formula.tables.packages.others import ENCLOSING_COMMANDS
from porism.formula.tables.spaces import length

_MAX_COLUMNS = 50
_CELLS = frozenset({"&"})
_LINES = frozenset({"\\\\", "\\cr"})
_OUTSIDE_TEXT = frozenset({"\\label", "\\nonumber", "\\notag", "\\tag"})


def general_fraction(call: Call) -> list[str]:
    """``\\genfrac``: with a line or, where that has no thickness, without one; between fences or not."""
    left, right, _, _, over, under = call.values
    without_line = call.text(2).strip()[:1].isdigit() and not length(call.text(2))
    opening, closing = ("".join(call.text(i).split()) for i in (0, 1))
    if without_line and (opening, closing) == ("(", ")"):
        return tex(r"\binom", "{", over, "}{", under, "}")
    inner = tex("{", over, r"\atop ", under, "}") if without_line else tex(r"\frac", "{", over, "}{", under, "}")
    if not opening and not closing:
        return inner
    return tex(r"\left", left or ".", inner, r"\right", right or ".")


def content_of_option(call: Call) -> list[str]:
    """``\\empheqleft{box=\\fbox, left=L}``: the value of the key that the command is named after."""
    key = call.name.removeprefix("\\empheq")
    for option in split_top(call.values[0], frozenset({","})) if call.has(0) else ():
        name, *value = split_top(option, frozenset({"="}))
        if "".join(name).strip() == key:
            return [token for k, part in enumerate(value) for token in (["="] if k else []) + part]
    return []


def braket_of_parts(call: Call) -> list[str]:
    """``\\Braket{a|H||b}``: its bars divide it, two side by side as one double bar."""
    result: list[str] = []
    depth = 0
    for token in call.values[0]:
        depth += (token == "{") - (token == "}") + token.startswith("\\begin") - token.startswith("\\end")
        if depth == 0 and token == "|" and result[-2:] == ["\\middle", "|"]:
            result[-1] = "\\|"
        elif depth == 0 and token in ("|", "\\|", "\\vert", "\\Vert"):
            result += ["\\middle", token]
        else:
            result.append(token)
    return tex(r"\left\langle ", result, r"\right\rangle ")


def dots_in_columns(call: Call) -> list[str]:
    """``\\hdotsfor{n}``: dots in so many columns."""
    count = call.text(2).strip()
    columns = min(int(count), _MAX_COLUMNS) if count.isascii() and count.isdigit() else 1
    return tex(" & ".join([r"\dots"] * max(columns, 1)))


def tensor(call: Call) -> list[str]:
    """``\\tensor[^a_b]{T}{^c_d}``: scripts one after the other, those of the option before the symbol."""
    _, before, base, scripts = call.values
    if not call.has(1):
        return tex(base, _staggered(scripts))
    above, below = _sides(before)
    return tex(r"\prescript", "{", above, "}{", below, "}{", base, "}", _staggered(scripts))


def indices(call: Call) -> list[str]:
    """``\\indices{^a_b}``: scripts one after the other on the symbol before."""
    return _staggered(call.values[1])


def _staggered(scripts: Sequence[str]) -> list[str]:
    """Scripts with an empty base before each but the first, which keeps their order across both sides."""
    result: list[str] = []
    depth = 0
    for token in scripts:
        if depth == 0 and token[0] in "^_" and result:
            result += ["{", "}"]
        depth += (token == "{") - (token == "}")
        result.append(token)
    return result


def _sides(scripts: Sequence[str]) -> tuple[list[str], list[str]]:
    """What is above and what is below."""
    sides: dict[str, list[str]] = {"^": [], "_": []}
    side = sides["_"]
    depth = 0
    for token in scripts:
        if depth == 0 and token[0] in "^_":
            side = sides[token[0]]
            side.extend(token[1:].strip("{}"))
            continue
        depth += (token == "{") - (token == "}")
        side.append(token)
    return sides["^"], sides["_"]


def under_accent(call: Call) -> list[str]:
    """``\\underaccent{\\hat}{x}``: the mark of an accent below."""
    accent, base = call.values
    name = call.text(0).strip()
    mark = ACCENTS.get(name[1:])
    sign = tex("\\" + mark[1] if mark[1] in "^~" else mark[1]) if mark is not None else accent
    return tex(r"\underset", "{", sign, "}{", base, "}")


def plain_cases(call: Call) -> list[str]:
    """``\\cases{x & if $x>0$ \\cr y & else}`` of plain TeX, whose second column is text where dollars are in it."""
    content = call.values[0]
    lines = text_in_columns(content, always=True) if _has_bare_dollars(content) else content
    return tex(r"\begin{cases}", lines, r"\end{cases}")


def enclosure(call: Call) -> list[str]:
    """``\\enclose{box,top}[color=red]{x}``: what each notation draws around the content, the first of them inside."""
    content = [*call.values[2]]
    for notation in dict.fromkeys(call.text(0).replace(",", " ").split()):
        if notation in ENCLOSING_COMMANDS:
            content = [ENCLOSING_COMMANDS[notation], "{", *content, "}"]
    return content


def token(call: Call) -> list[str]:
    """``\\mmlToken{mi}[mathvariant=bold]{x}``: a token element of MathML, in which letters are one name or text."""
    content = call.values[2]
    name = {"mtext": r"\text", "ms": r"\text", "mn": ""}.get(call.text(0).strip(), r"\operatorname")
    if name == r"\operatorname" and not (len(content) > 1 and "".join(content).isalpha()):
        return [*content]
    return tex(name, "{", content, "}")


def numbered_lines(call: Call) -> list[str]:
    """``\\eqalignno{a & = b & (3) \\cr}`` of plain TeX, whose third column has the numbers of the equations."""
    result: list[str] = []
    depth = column = 0
    for token in call.values[0]:
        if depth == 0 and token == "&":
            column += 1
            result += ["&"] if column == 1 else ["\\tag", "{"] if column == 2 else []
        elif depth == 0 and (token in _LINES or token.startswith("\\\\[")):
            result += ["}", token] if column > 1 else [token]
            column = 0
        else:
            depth += (token == "{") - (token == "}") + token.startswith("\\begin") - token.startswith("\\end")
            result.append(token)
    return tex(r"\begin{aligned}", result, "}" if column > 1 else "", r"\end{aligned}")


def _has_bare_dollars(tokens: Sequence[str]) -> bool:
    """Whether dollars are in no braces but those of a text that is one formula, as the LaTeX reader sets them."""
    depth = 0
    for i, token in enumerate(tokens):
        depth += (token == "{") - (token == "}")
        is_whole_text = depth == 1 and [*tokens[max(0, i - 2):i]] == ["\\text", "{"]
        if token == "$" and (depth == 0 or (is_whole_text and _ends_text(tokens, i + 1))):
            return True
    return False


def _ends_text(tokens: Sequence[str], i: int) -> bool:
    """Whether the next dollar is the last thing in its text."""
    end = next((k for k in range(i, len(tokens)) if tokens[k] == "$"), len(tokens))
    return [*tokens[end + 1:end + 2]] == ["}"]


def text_in_columns(tokens: Sequence[str], *, always: bool) -> list[str]:
    """The lines of an environment with ``\\text`` around all cells but the first of a line.

    :param always: whether these cells are text whatever they say; else only where they have words or dollars.
    """
    result: list[str] = []
    line: list[str] = []
    ends = [token for token in tokens if token in _LINES or token.startswith("\\\\[")]
    for number, line in enumerate(split_top(tokens, _LINES | frozenset(ends))):
        if number:
            result.append(ends[number - 1] if number <= len(ends) else "\\\\")
        for column, cell in enumerate(split_top(line, _CELLS)):
            if column:
                result.append("&")
            if column and (always or _is_text(cell)):
                end = next((i for i, token in enumerate(cell) if token in _OUTSIDE_TEXT), len(cell))
                result += ["\\text", "{", *cell[:end], "}", *cell[end:]]
            else:
                result += cell
    return result


def _is_text(cell: Sequence[str]) -> bool:
    """Whether a cell has dollars, begins with a word, or has words and nothing else."""
    written = "".join(cell)
    words = written.split()
    return "$" in cell or (len(words) > 1 and len(words[0]) > 1 and words[0].isalpha()) or (
        any(len(word) > 1 for word in words) and all(char.isalpha() or char in " ,.;:'-" for char in written)
    )
