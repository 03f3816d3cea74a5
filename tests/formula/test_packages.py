"""Commands of packages: each is read as the plain LaTeX it stands for, and none drops an argument."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from case_tables import every_case
from package_examples import EXAMPLES

from porism.formula import (
    LayoutTree,
    layout_key,
    operator_string,
    operator_tree,
    parse_latex,
    to_latex,
    unaccounted_tokens,
)
from porism.formula.latex.functions import FUNCTIONS
from porism.formula.layout import child_rows
from porism.formula.tables.packages import COMMANDS, ENVIRONMENTS, HANDLED, POWERS


@every_case("package", EXAMPLES)
def test_commands_are_read_as_what_they_stand_for(package: str) -> None:
    for source, plain in EXAMPLES[package]:
        parsed = parse_latex(source)
        assert parsed.problems == (), source
        assert layout_key(parsed) == layout_key(parse_latex(plain)), source


@every_case("package", EXAMPLES)
def test_commands_are_written_as_what_they_stand_for(package: str) -> None:
    for source, _ in EXAMPLES[package]:
        parsed = parse_latex(source)
        assert layout_key(parse_latex(to_latex(parsed))) == layout_key(parsed), source


def test_every_command_or_an_alias_of_it_has_an_example() -> None:
    text = " ".join(source for examples in EXAMPLES.values() for source, _ in examples)
    shown = {*re.findall(r"\\([A-Za-z]+)", text), *re.findall(r"\\begin\{([a-z*]+)\}", text), "qvar@", "lx@braket"}
    meanings = {name: COMMANDS.get(name) or HANDLED.get(name) or ENVIRONMENTS.get(name) for name in shown}
    known = set(meanings.values())
    words = re.compile(r"\\quad\\text\{[a-z]+\}\\quad ")
    missing = {
        name for table in (COMMANDS, HANDLED, ENVIRONMENTS) for name, meaning in table.items()
        if name not in shown and meaning not in known and not words.fullmatch(str(meaning[1]))
    }
    assert missing == set()


def test_every_handled_command_has_its_function() -> None:
    assert {handler for _, handler in HANDLED.values()} == set(FUNCTIONS)


ARGUMENT = re.compile(r"(-?)(t\\[A-Za-z]+|t.|d..|D..\{[^}]*\}|[OG]\{[^}]*\}|u\{[^}]*\}|[a-zA-Z])")
WRITTEN = {"m": "{%s}", "o": "[%s]", "g": "{%s}", "O": "[%s]", "G": "{%s}"}


def arguments(signature: str) -> Iterator[tuple[str, bool]]:
    """How each argument of a signature is written, and whether it is content."""
    for appearance, kind in ARGUMENT.findall(signature):
        if kind in "sz" or kind[0] == "t":
            continue
        if kind[0] in "dD":
            written = f"{kind[1]}%s{kind[2]}"
        elif kind[0] == "u":
            written = f" %s {kind[2:-1]} "
        elif kind == "f":
            written = "(%s)"
        else:
            written = WRITTEN[kind[0]]
        yield written, not appearance


def labels(tree: LayoutTree) -> str:
    rows = [tree.row]
    for row in rows:
        for node in row:
            rows.extend(child_rows(node))
    return " ".join(node.label for row in rows for node in row)


def test_no_argument_is_dropped() -> None:
    for name, (signature, *_) in COMMANDS.items():
        letters = iter(string.ascii_lowercase[7:] + string.ascii_uppercase)
        source, content = f"\\{name}", []
        for written, is_content in arguments(signature):
            letter = next(letters)
            source += written.replace("%s", letter)
            if is_content:
                content.append(letter)
        parsed = parse_latex(source)
        assert [letter for letter in content if letter not in labels(parsed)] == [], source
        assert parsed.problems == (), source


def test_no_argument_and_no_cell_of_an_environment_is_dropped() -> None:
    for name, (signature, *_) in ENVIRONMENTS.items():
        given = "".join(
            written.replace("%s", "gather" if name == "empheq" else "K") for written, _ in arguments(signature)
        )
        source = rf"\begin{{{name}}}{given} x & y \\ z & w \end{{{name}}}"
        has_content = any(is_content for _, is_content in arguments(signature)) and name != "empheq"
        known = labels(parse_latex(source))
        assert [letter for letter in "xyzw" + "K" * has_content if letter not in known] == [], source


def test_what_takes_a_power_in_brackets() -> None:
    for name, plain in POWERS.items():
        assert layout_key(parse_latex(rf"\{name}[2](x)")) == layout_key(parse_latex(rf"\{plain}^2(x)"))
        assert layout_key(parse_latex(rf"\{name}[x+y]")) == layout_key(parse_latex(rf"\{plain}[x+y]"))


@every_case(("source", "expected"), [
    (r"\pdv{g}{y}", "[O!divide,0[O!partial,0[V!g]],1[O!partial,0[V!y]]]"),
    (r"\ce{2H2 + O2 -> 2H2O}",
     "[O!to,0[U!plus,0[U!times,0[N!2],1[O!SUB,0[V!H],1[N!2]]],1[O!SUB,0[V!O],1[N!2]]],"
     "1[U!times,0[N!2],1[O!SUB,0[V!H],1[N!2]],2[V!O]]]"),
    (r"\ce{NaCl}", "[U!times,0[V!Na],1[V!Cl]]"),
    (r"\ce{Ca(OH)2}", "[U!times,0[V!Ca],1[O!SUB,0[U!times,0[V!O],1[V!H]],1[N!2]]]"),
    (r"\SI{3}{\newton\metre}", "[U!times,0[N!3],1[V!N],2[V!m]]"),
    (r"3\,\mathrm{km}\,\mathrm{h}", "[U!times,0[N!3],1[V!km],2[V!h]]"),
    (r"\operatorname{Cl}(K)", "[O!Cl,0[V!K]]"),
    (r"\prescript{14}{2}{K}^{5}_{6}", "[O!SUBSUP,0[O!prescript,0[V!K],1[N!2],2[N!14]],1[N!6],2[N!5]]"),
    (r"\sideset{^2}{_{3}}{\operatorname{P}}", "[O!SUB,0[O!prescript,0[V!P],1[N!2]],1[N!3]]"),
    (r"\sideset{}{'}\sum_n a_n", "[O!sum,0[O!SUB,0[V!a],1[V!n]],1[V!n],2[C!′]]"),
    (r"\norm[\big]{u}", "[O!norm,0[V!u]]"),
    (r"\begin{dcases*}1&if $x>0$\\0&else\end{dcases*}",
     "[O!cases,0[O!branch,0[N!1],1[O!list,0[T!if],1[O!gt,0[V!x],1[N!0]]]],1[O!branch,0[N!0],1[T!else]]]"),
])
def test_what_it_means(source: str, expected: str) -> None:
    assert operator_string(operator_tree(parse_latex(source))) == expected


@every_case(("source", "plain"), [
    (r"\cfrac[l]{1}{x}", r"\frac{1}{x}"), (r"\smash[b]{x}", "x"),
    (r"\sqrt[\leftroot{2}\uproot{3}3]{x}", r"\sqrt[3]{x}"),
    (r"\begin{pmatrix*}[r]a&b\end{pmatrix*}", r"\begin{pmatrix}a&b\end{pmatrix}"),
    (r"\begin{pmatrix}[r]&b\end{pmatrix}", r"\begin{pmatrix}\relax[r]&b\end{pmatrix}"),
    (r"\ce{Co(en)3}", r"\mathrm{Co}(\mathrm{en})_3"), (r"\ce{M^n+}", r"\mathrm{M}^{n+}"),
    (r"\ce{K_{(aq)}}", r"\mathrm{K}_{\text{(aq)}}"), (r"\ce{BaSO4 (v)}", r"\ce{BaSO4 v}"),
    (r"\ce{\alpha-K}", r"\alpha\text{-}\mathrm{K}"), (r"\ce{t-Bu}", r"t\text{-}\mathrm{Bu}"),
    (r"\ce{\ca K}", r"\sim\mathrm{K}"), (r"\ce{\frac{[K^2+]}{H}}", r"\frac{\ce{[K^2+]}}{\mathrm{H}}"),
    (r"\pu{5 kg/m}", r"5\,\mathrm{kg}/\mathrm{m}"),
    (r"\empheqlbrace x\empheqbigrvert", r"\lbrace x\vert"), (r"\empheqbigl[x\empheqr]", "[x]"),
    (r"\newcolumntype{Q}[1]{>{#1}c}x", "x"), (r"\mathversion{bold}\mathbbmss{N}", r"\mathbb{N}"),
    (r"\overbracket[1pt][2pt]{x}", r"\overbracket{x}"),
    (r"\cancel[color=red]{x}", "x"), (r"\nicefrac[\mathsf]{1}{2}", r"\frac12"), (r"x\sb2\sp3", "x_2^3"),
    (r"{a\above 1pt b}", r"\frac{a}{b}"), (r"{n\atopwithdelims() k}", r"\binom{n}{k}"),
    (r"{a\overwithdelims[] b}", r"[\frac{a}{b}]"), (r"{a\abovewithdelims() 1pt b}", r"(\frac{a}{b})"),
    (r"\mathclap[\displaystyle]{x}", "x"), (r"\textcolor[HTML]{FF0000}{x}", "x"), (r"{\color[rgb]{1,0,0}x}", "x"),
    (r"\mleft(x\mright)^2", r"\left(x\right)^2"), (r"\centernot\in", r"\not\in"),
])
def test_options_and_appearance_are_no_content(source: str, plain: str) -> None:
    parsed = parse_latex(source)
    assert parsed.problems == ()
    assert layout_key(parsed) == layout_key(parse_latex(plain))


@every_case(("columns", "problems"), [
    ("{cc}", 0), ("{l|r}", 0), ("{@{}c@{\\quad}c}", 0), ("{*{2}{c}}", 0), ("{>{\\displaystyle}l p{2cm}}", 0),
    ("{CC}", 0), ("", 1), ("{}", 0), ("[t]{cc}", 0),
])
def test_columns_of_an_array(columns: str, problems: int) -> None:
    parsed = parse_latex(rf"\begin{{array}}{columns} x & y \\ z & w \end{{array}}")
    assert layout_key(parsed) == layout_key(parse_latex(r"\begin{matrix}x&y\\z&w\end{matrix}"))
    assert len(parsed.problems) == problems


@every_case(("array", "plain"), [
    (r"{>{A}c@{=}c} a&b\\c&d", r"\begin{matrix}Aa=&b\\Ac=&d\end{matrix}"),
    (r"{r@{\;=\;}l} x&y\\z&w\\", r"\begin{aligned}x&=y\\z&=w\end{aligned}"),
    (r"{@{(}c!{\vdots}c<{)}} \hline a&b\\ \hline c&d\\ \hline",
     r"\begin{matrix}(a\vdots&b)\\(c\vdots&d)\end{matrix}"),
    (r"{*{2}{>{\sin}c}p{2cm}|>{\bf}c} x&y&z&v", r"\begin{matrix}\sin x&\sin y&z&\mathbf{v}\end{matrix}"),
    (r"[t]{>{A}c>{B}c>{C}c} \multicolumn{2}{c}{x}&y\\u&v\\[2pt] & & w",
     r"\begin{matrix}x&Cy\\Au&Bv\\A&B&Cw\end{matrix}"),
    (r"{>{A}cc} \begin{array}{c<{!}}x&y\\z\end{array}&b",
     r"\begin{matrix}A\begin{array}{c}x!&y\\z!\end{array}&b\end{matrix}"),
    (r"{>{\raggedright\arraybackslash}c@{\extracolsep{\fill}}c>{\color{red}}c@{\hskip 1em}c} a&b&c&d",
     r"\begin{matrix}a&b&c&d\end{matrix}"),
])
def test_columns_put_their_content_into_each_row(array: str, plain: str) -> None:
    parsed = parse_latex(rf"\begin{{array}}{array} \end{{array}}")
    assert parsed.problems == ()
    assert unaccounted_tokens(parsed) == []
    assert operator_string(operator_tree(parsed)) == operator_string(operator_tree(parse_latex(plain)))


def test_columns_of_an_array_that_never_ends_are_reported() -> None:
    parsed = parse_latex(r"\begin{array}{>{A}c} x")
    assert "what the columns of array put into each row is left out" in [problem.what for problem in parsed.problems]


def test_what_are_no_columns_stays() -> None:
    parsed = parse_latex(r"\begin{array}{a & b \\ c & d}\end{array}")
    assert layout_key(parsed) == layout_key(parse_latex(r"\begin{matrix}a&b\\c&d\end{matrix}"))
    assert [problem.what for problem in parsed.problems] == [
        "these are not valid columns of array; they are kept as content"
    ]


def test_commands_in_text_are_mathematics_there() -> None:
    assert layout_key(parse_latex(r"\text{in \SI{3}{m}}")) == layout_key(parse_latex(r"\text{in $3\,\mathrm{m}$}"))


@every_case(
    ("source", "braced"),
    [
        (r"\ket\bullet", r"\ket{\bullet}"), (r"\ket\uparrow\bra\downarrow", r"\ket{\uparrow}\bra{\downarrow}"),
        (r"\ket+-\ket-", r"\ket{+}-\ket{-}"), (r"\norm\cdot=1", r"\norm{\cdot}=1"),
        (r"\slashed\partial", r"\slashed{\partial}"),
        (r"\abs\psi^2", r"\abs{\psi}^2"), (r"\vdotswithin= x", r"\vdotswithin{=}x"), (r"\odif x", r"\odif{x}"),
        (r"\bra a\ket\psi", r"\bra{a}\ket{\psi}"), (r"\newcommand{\up}{\uparrow}\ket\up", r"\ket{\uparrow}"),
    ],
)
def test_one_token_is_an_argument_without_braces(source: str, braced: str) -> None:
    parsed = parse_latex(source)
    assert parsed.problems == ()
    assert layout_key(parsed) == layout_key(parse_latex(braced))


@every_case(
    "source",
    [
        r"C^\op", r"{\unit}", r"A\ev", r"\op(A)", r"\ket", r"\LL:x", r"\DP", r"\set\in", r"\qty", r"C^\op\to D",
        r"\op\times", r"\abs=x", r"\ket)",
    ],
)
def test_a_command_of_another_meaning_is_unknown(source: str) -> None:
    parsed = parse_latex(source)
    assert [problem.what[:15] for problem in parsed.problems] == ["unknown command"]
    assert "\\" in labels(parsed)
