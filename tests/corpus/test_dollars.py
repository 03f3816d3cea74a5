"""Dollars that are not delimiters: prices, variables and prose stay text; formulas beside them stay formulas."""

from __future__ import annotations

from case_tables import every_case

from porism.corpus.mathtext import split_math
from porism.errors import Problem


def read(text: str) -> str:
    """The text with its formulas between angle brackets."""
    return "".join(part if isinstance(part, str) else f"⟨{part.source}⟩" for part in split_math(text).parts)


@every_case(
    "text",
    [
        "I paid **40$** for it and got 15$ back",
        "between 5$-10$ each, or 20$ – 30$",
        "costs 5$ or 10$ or 20 $ or 30 $.",
        "5$/month, 10$/month; 5 $/year, 10 $/year",
        "(40$ + 20$)",
        "**$5** and **$10**",
        "| $5 | $10 | $20 |",
        "$5/mo,$10/mo and $7/month",
        "He earns $5, she earns $6, in total $5+$6=$11.",
        "$10,000 (+$500) = $10,500",
        "um R$ 4.182, depois R$ 5.000",
        "deu 20$ de volta, ou R$ 4.182 no total",
        "A$5, C$6, NT$300, HK$ 20, US$7 and US$ 8–US$ 9",
        "花费5$,然后10$;从$5到$10",
        "цена 5$, а потом 10$ за штуку",
        "$PATH 90 $PATH",
        "export PATH=$HOME/bin:$PATH with ${HOME} and ${USER}",
        "$MAX_SIZE or $MIN_SIZE, $my_name and $my_name",
    ],
)
def test_prices_and_variables_are_text_and_no_problem(text: str) -> None:
    problems: list[Problem] = []
    assert split_math(text, on_problem=problems.append).text == text
    assert problems == []


@every_case(
    ("text", "expected"),
    [
        ("$x_1$1 and $f(x)$5", "⟨x_1⟩1 and ⟨f(x)⟩5"),
        ("5$x$ and 4$y$", "5⟨x⟩ and 4⟨y⟩"),
        ("2$\\times$3, 10$^{-3}$", "2⟨\\times⟩3, 10⟨^{-3}⟩"),
        ("between 3 $-10$ and 5", "between 3 ⟨-10⟩ and 5"),
        ("$PDE$s, $AB$ $CD$", "⟨PDE⟩s, ⟨AB⟩ ⟨CD⟩"),
        ("let $R$ 4 and $S$ 5", "let ⟨R⟩ 4 and ⟨S⟩ 5"),
        ("with 3 $x$ and 4 $y$", "with 3 ⟨x⟩ and 4 ⟨y⟩"),
        ("$3$-manifolds cost $3 in $4$ dimensions", "⟨3⟩-manifolds cost $3 in ⟨4⟩ dimensions"),
        ("$1/2$, $3/4$, $100$ to $200$", "⟨1/2⟩, ⟨3/4⟩, ⟨100⟩ to ⟨200⟩"),
        ("$ x $ and $y $ and $ z+1$", "⟨x⟩ and ⟨y⟩ and ⟨z+1⟩"),
        ("$5 \\text{ for all of them}$10", "⟨5 \\text{ for all of them}⟩10"),
        ("in US$ and $x$", "in US$ and ⟨x⟩"),
        ("for $5, where $n=2$, $7 is left", "for $5, where ⟨n=2⟩, $7 is left"),
        ("$f(t_{1}) = $n", "⟨f(t_{1}) =⟩n"),
    ],
)
def test_formulas_beside_numbers_and_prices_are_formulas(text: str, expected: str) -> None:
    assert read(text) == expected


def test_words_between_prices_are_found_by_word_search() -> None:
    content = split_math("**40$** bla bla and got 15$ back")
    assert content.formulas == ()
    assert "bla bla" in content.text
