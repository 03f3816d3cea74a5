"""Proofs: the stack of bussproofs, rules given in one command, and the lines of natural deductions."""

from __future__ import annotations

from collections.abc import Sequence

from porism.formula.latex.functions.call import Call, split_top, tex, text_or_mathematics
from porism.formula.macros.tokens import TRUE
from porism.formula.tables.packages.proofs import FITCH_RULES, PREMISES

_RIGHT, _LEFT = "\0right", "\0left"
"""Begin the labels that wait, before the stack in the memory of a formula, for the next rule."""


def axiom(call: Call) -> list[str]:
    """``\\AxiomC{A}`` puts a premise on the stack."""
    call.memory.append(text_or_mathematics(call.values[-1]))
    return []


def right_label(call: Call) -> list[str]:
    """``\\RightLabel{$\\land$I}`` names the next rule."""
    call.memory.insert(0, [_RIGHT, *text_or_mathematics(call.values[0])])
    return []


def left_label(call: Call) -> list[str]:
    """``\\LeftLabel{…}`` names the next rule."""
    call.memory.insert(0, [_LEFT, *text_or_mathematics(call.values[0])])
    return []


def inference(call: Call) -> list[str]:
    """``\\BinaryInfC{C}`` takes its premises off the stack and puts the rule on it."""
    stack = call.memory
    labels = _take_labels(stack)
    count = PREMISES[call.name[1:]]
    if len(stack) < count:
        call.report(f"{call.name} without its premises")
    premises = stack[max(0, len(stack) - count):]
    del stack[max(0, len(stack) - count):]
    stack.append(_rule(premises, text_or_mathematics(call.values[-1]), labels.get(_RIGHT), labels.get(_LEFT)))
    return []


def _take_labels(stack: list[list[str]]) -> dict[str, list[str]]:
    """The labels that wait for the next rule, the newest of each side."""
    labels: dict[str, list[str]] = {}
    while stack and stack[0][:1] in ([_RIGHT], [_LEFT]):
        side, *label = stack.pop(0)
        labels.setdefault(side, label)
    return labels


def proof(call: Call) -> list[str]:
    """``\\DisplayProof``, or the end of a ``prooftree``: what is on the stack."""
    if call.name == "\\DP" and not call.memory:
        return ["\0" + call.name]  # another command by this name
    if _take_labels(call.memory):
        call.report("a label of a rule that does not follow")
    result: list[str] = []
    for tokens in call.memory:
        result += tex(r"\qquad ") if result else []
        result += tokens
    call.memory.clear()
    return result


def rule(call: Call) -> list[str]:
    """``\\inferrule*[Right=name]{A \\\\ B}{C}`` of mathpartir."""
    return _rule(split_top(call.values[2], frozenset({"\\\\"})), call.values[3], _name(call), None)


def hypothesis(call: Call) -> list[str]:
    """``\\hypo{A}`` of ebproof puts a premise on the stack."""
    call.memory.append(_unaligned(call.values[-1]))
    return []


def rule_from_below(call: Call) -> list[str]:
    """``\\infer[name]{C}{A & B}`` of proof.sty, ``\\infer2[name]{C}`` of ebproof with its premises on the stack."""
    *counts, name, conclusion, premises = call.values[2:]
    count = next((k for k in range(len(counts)) if TRUE in counts[k]), None)
    if count is None:
        return _rule(split_top(premises, frozenset({"&"})), conclusion, _name(call), None)
    stack = call.memory
    if len(stack) < count:
        call.report(f"{call.name} without its premises")
    first = max(0, len(stack) - count)
    labels = _labels(call)
    right = text_or_mathematics(name) if call.has(len(call.values) - 3) else labels.get("right label")
    stack[first:] = [_rule(stack[first:], _unaligned(conclusion), right, labels.get("left label"))]
    return [*premises] if call.has(len(call.values) - 1) else []


def _labels(call: Call) -> dict[str, list[str]]:
    """The labels among the options of ebproof."""
    labels: dict[str, list[str]] = {}
    for option in split_top(call.values[1], frozenset({","})) if call.has(1) else ():
        key, *value = split_top(option, frozenset({"="}))
        if len(value) == 1:
            label = [token for token in value[0] if not token.isspace()]
            labels["".join(key).strip()] = text_or_mathematics(label[1:-1] if label[:1] == ["{"] else label)
    return labels


def _unaligned(tokens: Sequence[str]) -> list[str]:
    """A statement of ebproof without the sign at which it is aligned."""
    return [token for part in split_top(tokens, frozenset({"&"})) for token in part]


def _name(call: Call) -> list[str] | None:
    """The name of a rule: the whole option, or what its key says."""
    if not call.has(1):
        return None
    return text_or_mathematics(split_top(call.values[1], frozenset({"="}))[-1])


def _rule(
    premises: Sequence[Sequence[str]], conclusion: Sequence[str], right: Sequence[str] | None,
    left: Sequence[str] | None,
) -> list[str]:
    over: list[str] = []
    for premise in premises:
        over += tex(r"\qquad ") if over else []
        over += premise
    fraction = tex(r"\frac", "{", over, "}{", conclusion, "}")
    if left:
        fraction = tex(r"\prescript", "{}{", left, "}{", fraction, "}")
    return tex("{", fraction, "}", *(("_{", right, "}") if right else ()))


def proof_line(call: Call) -> list[str]:
    """``\\pline[1.]{A}[rule]`` of lplfitch: a row of its number, its formula and its rule."""
    number, formula, reason = call.values
    return [*(number if call.has(0) else ()), "&", *formula, "&", *(text_or_mathematics(reason) if call.has(2) else ())]


def deduction_lines(tokens: Sequence[str]) -> list[str]:
    """The lines of a natural deduction as rows: those of fitch, ``\\have{2}{B} \\ie{1}``, and the ends of subproofs."""
    rows: list[str] = []
    guards: list[str] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        i += 1
        if token in ("\\hypo", "\\have"):
            (number, name, formula), i = _arguments(tokens, i, "omm")
            rows += [*(["\\\\"] if rows else []), *guards, *(number or name), "&", *formula, "&"]
            guards.clear()
        elif token == "\\by":
            (rule, references), i = _arguments(tokens, i, "mm")
            rows += _reason(rule, references)
        elif token in FITCH_RULES:
            (references,), i = _arguments(tokens, i, "m")
            rows += _reason(tex(FITCH_RULES[token]), references)
        elif token in ("\\open", "\\close", "\\guard"):
            (option, guard), i = _arguments(tokens, i, "om" if token == "\\guard" else "o ")
            guards += [*option, *guard]
        elif token.startswith("\\end") and "{subproof}" in token:
            rows.append("\\\\")
        elif not (token.startswith("\\begin") and "{subproof}" in token) and (rows or not token.isspace()):
            rows.append(token)
    return [*rows, *guards]


def _reason(rule: Sequence[str], references: Sequence[str]) -> list[str]:
    separator = [",", " "] if references else []
    return ["\\text", "{", *rule, *separator, *references, "}"]


def _arguments(tokens: Sequence[str], i: int, signature: str) -> tuple[list[Sequence[str]], int]:
    """The arguments that follow: ``o`` in brackets, ``m`` in braces or one token, a space for none."""
    values: list[Sequence[str]] = []
    for kind in signature:
        begin = i
        while begin < len(tokens) and tokens[begin].isspace():
            begin += 1
        opening = tokens[begin] if begin < len(tokens) else ""
        closing = {"[": "]", "{": "}"}.get(opening)
        if kind == " " or not opening or (kind == "o" and opening != "["):
            values.append(())
            continue
        i = begin + 1
        depth = 0
        while closing and i < len(tokens) and not (depth == 0 and tokens[i] == closing):
            depth += (tokens[i] == "{") - (tokens[i] == "}")
            i += 1
        values.append(tokens[begin + 1 : i] if closing else [opening])
        i += closing is not None
    return values, i
