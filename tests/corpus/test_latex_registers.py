"""TeX's registers in LaTeX projects: assignments, arithmetic, and conditions on numbers and dimensions."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from latex_projects import read

from porism.errors import Problem


@every_case(
    ("source", "expected"),
    [
        (r"\newcount\n\n=3 \advance\n by 1\the\n, \multiply\n by 2\number\n, \divide\n-3 \the\n", "4, 8, -2"),
        (r"\newcount\n\n=3\ifnum\n>2 a\else b\fi\ifodd\n c\fi\ifcase\n\or1\or2\or3\else4\fi", "ac3"),
        (r"\newcount\n\newcount\m\n=2{\n=5\m=\n\global\m=7 }\the\n\the\m", "27"),
        (r"\ifnum\year>1999 a\else b\fi\ifnum\month>12 c\fi", "a"),
        (r"\count255=-'17 \advance\count255-\count255\the\count255", "0"),
        (r"\newcount\n\n=1\edef\x{\the\n}\n=2\x\the\n$a_{\the\n}$", "12$a_{2}$"),
        (r"\newcount\n\loop\the\n\advance\n by 1\ifnum\n<4\repeat", "0123"),
        (r"\the\numexpr(3+4)/2*-2+1\relax, \ifnum\numexpr2*3=6 a\fi", "-7, a"),
        (r"\newcounter{c}\setcounter{c}{5}\newcount\n\n=\value{c}\the\n\the\value{c}\ifnum\value{c}=\n a\fi", "55a"),
        (r"\makeatletter\newcounter{c}\advance\c@c by 3\arabic{c}\ifnum\c@c>2 a\fi", "3a"),
        (r"\newdimen\d\d=-.5in\the\d, \advance\d by 2\d\the\d\ifdim\d<-1in a\fi", "-36.135pt, -108.40498pta"),
        (r"\newskip\s\s=3pt plus 1fil minus 2pt\relax\the\s", "3.0pt"),
        (r"\newlength{\l}\setlength{\l}{2cm}\addtolength\l{1mm plus 1fil}\the\l\ifdim\l>2cm a\fi", "59.75076pta"),
        (r"\newdimen\d\d=\dimexpr2pt*3/2\relax\the\d\number\d", "3.0pt196608"),
        (r"\newcount\n\n=3\ifnumequal{\n+1}{4}{a}{b}\ifnumodd{\n}{c}{d}\ifthenelse{\n<4\and\isodd{\n}}{e}{f}", "ace"),
        (r"\newdimen\d\d=1cm\ifdimless{\d}{2cm}{a}{b}\ifdimcomp{\d}{>}{1in}{c}{d}"
         r"\ifthenelse{\lengthtest{\d>1mm}}{e}{f}", "ade"),
    ],
)  # fmt: skip
def test_registers_have_the_values_that_tex_gives_them(source: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text(source, encoding="utf-8")
    problems: list[Problem] = []
    (document,) = read(tmp_path, problems)
    assert document.fields["body"].to_latex() == expected
    assert problems == []


@every_case(
    ("source", "expected", "problem"),
    [
        (r"\newcount\n\n=\linepenalty x\the\n y", "xy", [r"the value of \count cannot be computed"]),
        (r"\ifnum\own>2 a\else b\fi\ifnum\own>3 c\fi", "b", [
            r"what \ifnum asks cannot be computed; it counts as false"]),
        (r"\newlength\l\setlength\l{1pt+2pt}x\the\l", "x", [r"the value of \skip cannot be computed"]),
        (r"\newcount\n\n=2\divide\n by 0 \ifcase\n a\fi x", "x", [
            r"what \ifcase asks cannot be computed; it counts as false"]),
        (r"\the\textwidth, \the\textwidth.", ",.", [r"the value of \textwidth cannot be computed"]),
    ],
)  # fmt: skip
def test_what_cannot_be_computed_is_reported_once(
    source: str, expected: str, problem: list[str], tmp_path: Path
) -> None:
    (tmp_path / "a.tex").write_text(source, encoding="utf-8")
    problems: list[Problem] = []
    (document,) = read(tmp_path, problems)
    assert "".join(document.fields["body"].text.split()) == expected
    assert [each.what for each in problems] == problem
