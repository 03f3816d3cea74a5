"""Properties of values, one for each class of formulas that are equal: random instances are, perturbed ones are not."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from porism.formula import operator_tree, parse_latex
from porism.formula.values import equal, whole_value

LETTERS = "abcpqruvw"
"""Letters that no operator, constant or function is called by, nor the bound variables below."""

letters = st.sampled_from(LETTERS)
small = st.integers(1, 9)
signed = st.integers(-9, 9)
functions = st.sampled_from(["f", "g", "h", "F", r"\phi ", r"\psi "])
bound = st.sampled_from("jklmst")
fast = settings(max_examples=60, deadline=None)


def same(one: str, other: str) -> bool:
    """Whether two formulas are equal; that the terms by which they are found agree with it is asserted."""
    trees = [operator_tree(parse_latex(latex)) for latex in (one, other)]
    first, second = (whole_value(tree) for tree in trees)
    result = equal(*trees)
    assert result == (first.named == second.named != "")
    if result and first.renamed and second.renamed:  # a number has no letters to rename
        assert first.renamed == second.renamed
    return result


def plus(number: int) -> str:
    """A number after a letter, with its sign; nothing for 0."""
    return f"{number:+}" if number else ""


@st.composite
def polynomials(draw: st.DrawFn) -> list[int]:
    """Whole coefficients, the constant one first, the last not 0."""
    return [*draw(st.lists(signed, max_size=2)), draw(small)]


def polynomial(coefficients: list[int], variable: str) -> str:
    """A polynomial as LaTeX; its constant has no power, since ``0^0`` has no value."""
    return "+".join(
        f"({number}){{{variable}}}^{power}" if power else f"({number})" for power, number in enumerate(coefficients)
    )


# sums and products with shifted indices


@fast
@given(st.sampled_from([r"\sum", r"\prod"]), letters, bound, bound, signed, signed, small)
def test_shifted_sums(sign: str, name: str, one: str, other: str, shift: int, first: int, off: int) -> None:
    def over(index: str, start: int, end: int, moved: int) -> str:
        return rf"{sign}_{{{index}={start}}}^{{n{plus(end)}}}{name}_{{{index}{plus(moved)}}}"

    here = over(one, first, 0, 0)
    assert same(here, over(other, first - shift, -shift, shift))
    assert not same(here, over(other, first - shift, -shift, shift + off))
    assert not same(here, over(other, first - shift, off - shift, shift))
    assert not same(here, over(other, first - shift - off, -shift, shift))


# derivatives


@fast
@given(functions, st.sampled_from("xtuvw"), st.integers(1, 3), st.data())
def test_notations_of_derivatives(function: str, variable: str, order: int, data: st.DataObject) -> None:
    power = f"^{order}" if order > 1 else ""
    applied = [
        rf"{function}{chr(39) * order}({variable})", rf"\frac{{d{power}}}{{d{variable}{power}}}{function}({variable})",
        rf"\frac{{d{power}{function}({variable})}}{{d{variable}{power}}}", rf"D{power}{function}({variable})",
    ]
    bare = [
        f"{function}{chr(39) * order}", rf"D{power}{function}", rf"\frac{{d{power}{function}}}{{dx{power}}}",
        rf"\frac{{d{power}}}{{dx{power}}}{function}",
    ]
    for notations in (applied, bare):
        one, other = (data.draw(st.sampled_from(notations)) for _ in range(2))
        assert same(one, other)
        changed = other.replace(function, "G")
        assert not same(one, changed)
    assert not same(data.draw(st.sampled_from(applied)), data.draw(st.sampled_from(bare)))
    other = rf"\frac{{d^{order + 1}}}{{d{variable}^{order + 1}}}{function}({variable})"
    assert not same(data.draw(st.sampled_from(applied)), other)


@fast
@given(letters, st.sampled_from("txyz"), st.sampled_from("txyz"))
def test_partial_derivatives_of_a_letter(name: str, one: str, other: str) -> None:
    twice = rf"\partial {one}^2" if one == other else rf"\partial {one}\partial {other}"
    assert same(rf"\frac{{\partial {name}}}{{\partial {one}}}+1", f"{name}_{one}+1")
    assert same(rf"\frac{{\partial^2 {name}}}{{{twice}}}+1", f"{name}_{{{one}{other}}}+1")
    assert same(rf"\frac{{\partial {name}}}{{\partial {one}}}+1", f"{name}_{other}+1") == (one == other)


# absolute values and roots of squares


@fast
@given(letters, letters, small, small)
def test_roots_of_squares(one: str, other: str, factor: int, second: int) -> None:
    assume(one != other)
    root = rf"\sqrt{{{factor * factor}{one}^2{other}}}"
    assert same(root, rf"{factor}\lvert {one}\rvert\sqrt{{{other}}}")
    assert not same(root, rf"{factor}{one}\sqrt{{{other}}}")
    assert not same(root, rf"{factor + 1}\lvert {one}\rvert\sqrt{{{other}}}")
    difference = f"{factor}{one}-{second}{other}"
    square = rf"\sqrt{{({difference})^2}}"
    assert same(square, rf"\lvert {second}{other}-{factor}{one}\rvert")
    assert same(square, rf"\sqrt{{{factor**2}{one}^2-{2 * factor * second}{one}{other}+{second**2}{other}^2}}")
    assert not same(square, difference)
    assert not same(square, rf"\lvert {factor}{one}+{second}{other}\rvert")


# inequalities from either side, and chains of them

OPPOSITES = {r"\le ": r"\ge ", "<": ">", r"\ge ": r"\le ", ">": "<"}


@fast
@given(st.lists(st.tuples(st.sampled_from(sorted(OPPOSITES)), letters, signed), min_size=1, max_size=3), letters)
def test_inequalities_from_either_side(links: list[tuple[str, str, int]], first: str) -> None:
    sides = [first, *(name + plus(number) for _, name, number in links)]
    assume(len(set(sides)) == len(sides) and len({name for _, name, _ in links} | {first}) == len(sides))
    signs = [sign for sign, _, _ in links]
    # of other chains the operator tree does not say which relation is repeated
    assume(len(set(signs)) == 1 or all(one != other for one, other in pairwise(signs)))
    forward = first + "".join(sign + side for sign, side in zip(signs, sides[1:], strict=True))
    opposite = [OPPOSITES[sign] for sign in signs]
    backward = sides[-1] + "".join(
        sign + side for sign, side in zip(reversed(opposite), reversed(sides[:-1]), strict=True)
    )
    assert same(forward, backward)
    turned = first + "".join(sign + side for sign, side in zip(opposite, sides[1:], strict=True))
    assert not same(forward, turned)
    assert not same(forward, f"{forward}+1")


# finite sums of powers and geometric ones, against numbers


def interpolated(points: list[tuple[int, int]]) -> list[Fraction]:
    """The coefficients of the polynomial through some points, the constant one first: Lagrange's."""
    found = [Fraction(0)] * len(points)
    for here, height in points:
        basis = [Fraction(height)]
        for other, _ in points:
            if other != here:
                shifted = [Fraction(0), *basis]
                lower = [-other * number for number in basis] + [Fraction(0)]
                basis = [(a + b) / (here - other) for a, b in zip(shifted, lower, strict=True)]
        found = [a + b for a, b in zip(found, basis, strict=True)]
    return found


@fast
@given(polynomials(), st.integers(-3, 3), st.integers(0, 2), small)
def test_sums_of_polynomials_against_numbers(coefficients: list[int], first: int, length: int, off: int) -> None:
    """The closed form at n is the polynomial in n through the sums that are added up; a few terms are added as numbers,
    since a sum of many has no value as a whole where adding it takes too long."""
    last = first + length

    def total(end: int) -> int:
        return sum(number * k**power for k in range(first, end + 1) for power, number in enumerate(coefficients))

    form = "+".join(
        rf"\frac{{{number.numerator}}}{{{number.denominator}}}n^{power}"
        for power, number in enumerate(interpolated([(first + step, total(first + step)) for step in range(5)]))
    )
    symbolic = rf"\sum_{{k={first}}}^{{n}}({polynomial(coefficients, 'k')})"
    assert same(f"{symbolic}+a", f"{form}+a")
    assert not same(f"{symbolic}+a", f"{form}+a+{off}")
    assert same(rf"\sum_{{k={first}}}^{{{last}}}({polynomial(coefficients, 'k')})", str(total(last)))
    assert not same(rf"\sum_{{k={first}}}^{{{last}}}({polynomial(coefficients, 'k')})", str(total(last) + off))


@fast
@given(st.one_of(st.integers(2, 9), letters), bound, signed, small, small)
def test_geometric_sums(ratio: int | str, index: str, first: int, factor: int, off: int) -> None:
    total = rf"\sum_{{{index}={first}}}^{{n}}{factor}\cdot {ratio}^{{{index}}}"
    closed = rf"\frac{{{factor}({ratio}^{{n+1}}-{ratio}^{{{first}}})}}{{{ratio}-1}}"
    assert same(total, closed)
    assert not same(total, closed.replace("n+1", f"n+{1 + off}"))
    assert not same(total, f"{closed}+{off}")
    if isinstance(ratio, int):
        end = first + off
        number = sum(Fraction(factor) * Fraction(ratio) ** k for k in range(first, end + 1))
        numbers = total.replace("{n}", f"{{{end}}}")
        assert same(numbers, rf"\frac{{{number.numerator}}}{{{number.denominator}}}")
        assert not same(numbers, rf"\frac{{{number.numerator + 1}}}{{{number.denominator}}}")


# matrices, whatever stands around them


@fast
@given(
    st.integers(1, 3).flatmap(lambda width: st.lists(
        st.lists(st.one_of(letters, signed.map(str)), min_size=width, max_size=width), min_size=2, max_size=3
    )),
    st.permutations(["pmatrix", "bmatrix"]), st.data(),
)
def test_matrices_up_to_delimiters(rows: list[list[str]], kinds: list[str], data: st.DataObject) -> None:
    def written(kind: str, entries: list[list[str]]) -> str:
        return rf"\begin{{{kind}}}" + r"\\".join(map("&".join, entries)) + rf"\end{{{kind}}}"

    here = written(kinds[0], rows)
    assert same(here, written(kinds[1], rows))
    for other in ("vmatrix", "cases"):
        assert not same(here, written(other, rows))
    row, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, len(rows[0]) - 1))
    changed = [list(one) for one in rows]
    changed[row][column] += "+1"
    assert not same(here, written(kinds[1], changed))
    if len(set(map(tuple, rows))) > 1:
        assert not same(here, written(kinds[1], rows[1:] + rows[:1])) or rows[1:] + rows[:1] == rows


# integrals, whatever the variable is called


@fast
@given(polynomials(), letters, st.permutations("stxyz"), small, small)
def test_integrals_up_to_the_bound_variable(
    coefficients: list[int], name: str, variables: list[str], end: int, off: int
) -> None:
    def integral(variable: str, upper: str, more: int = 0) -> str:
        body = polynomial([coefficients[0] + more, *coefficients[1:]], variable)
        return rf"\int_{{{name}}}^{{{upper}}}\frac{{{body}}}{{1+e^{{{variable}}}}}\,d{variable}"

    one, other = variables[:2]
    here = integral(one, str(end))
    assert same(here, integral(other, str(end)))
    assert not same(here, integral(other, str(end + off)))
    assert not same(here, integral(other, str(end), off))
    assert not same(here, integral(other, str(end)).replace(f"d{other}", f"d{variables[2]}"))
    assert same(here, rf"-\int_{{{end}}}^{{{name}}}" + integral(other, "").partition("^{}")[2])
