"""Formulas that nobody put between dollars."""

from __future__ import annotations

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st
from long_forms import LONG_ONLY

from porism.formula import parse_latex, to_unicode
from porism.formula.recognition.recognising import find_formulas, recognise, recognise_formulas
from porism.types import PLACEHOLDER, Content, Formula

READ = [  # a question, its words with a dot for each formula, the formulas
    ("why does ∑ 1/n² converge to π²/6?", "why does ● converge to ●?", ["∑ 1/n²", "π²/6"]),
    (r"why does \sum 1/n^2 converge", "why does ● converge", ["∑ 1/n²"]),
    ("x^2+y^2=z^2", "●", ["x² + y² = z²"]),
    (r"\int_0^1 f", "●", ["∫₀¹ f"]), (r"\int_0^1 f(x) dx converges", "● converges", ["∫₀¹ f(x) dx"]),
    (r"\mathfrak m_A B", "●", ["𝔪_A B"]), (r"so \mathfrak m_A B", "so ● B", ["𝔪_A"]), ("f x^2 g", "●", ["fx²g"]),
    (r"the H^1(X, \mathbb Z) of X", "the ● of X", ["H¹(X, ℤ)"]),
    ("if f(x, y) = 0, then", "if ●, then", ["f(x, y) = 0"]),
    ("derivative of x^n", "derivative of ●", ["xⁿ"]),
    ("sin^2 x + cos^2 x = 1", "●", ["sin² x + cos² x = 1"]),
    ("is f(x) = x sin(1/x) continuous at 0", "is ● continuous at 0", ["f(x) = x sin(1/x)"]),
    ("a_n converges to L", "● converges to L", ["aₙ"]),
    ("x_1 + x_2 + ... + x_n", "●", ["x₁ + x₂ + … + xₙ"]),
    ("e^(i*pi) = -1", "●", ["e^(i⋅π) = - 1"]), (r"e^{i\pi}+1=0", "●", ["e^(iπ) + 1 = 0"]),
    ("2^10 > 10^3 for x^-1", "2^10 > 10^3 for ●".replace("2^10 > 10^3", "●"), ["2¹⁰ > 10³", "x⁻¹"]),
    ("sqrt(2) is irrational", "● is irrational", ["√2"]), ("log n grows", "● grows", ["log n"]),
    ("let x ∈ A", "let ●", ["x ∈ A"]), ("how many x satisfy x = x^2?", "how many x satisfy ●?", ["x = x²"]),
    ("|x+y| <= |x| + |y|", "●", ["|x + y| ≤ |x| + |y|"]), ("?x^2 + ?y^2", "●", ["?x² + ?y²"]),
    ("sum 1/n^2 = pi^2/6", "sum ●", ["1/n² = π²/6"]),
    ("P(A|B) = P(B|A) P(A) / P(B)", "●", ["P(A|B) = P(B|A)P(A)/P(B)"]),
    ("O(n log n) sorting", "● sorting", ["O(n log n)"]),
    (r"\frac{a + b}{c} where a is b", "● where a is b", ["(a + b)/c"]),
    ("(see x^2+1)", "(see ●)", ["x² + 1"]), ("Is a^2 + b^2 a prime?", "Is ● a prime?", ["a² + b²"]),
    ("f'(x) and f(x,y)", "● and ●", ["f′(x)", "f(x, y)"]), ("dx/dt = kx", "●", ["dx/dt = kx"]),
    ("so e^{i pi} = -1, as sqrt(x+1) is", "so ●, as ● is", ["e^(iπ) = - 1", "√(x + 1)"]),
    ("then ∀ x, f x ≤ g x holds", "then ● holds", ["∀ x: f(x) ≤ g(x)"]),
    ("for k = 1, 2, ..., n we have", "for ● we have", ["k = 1, 2, …, n"]),
    (r"let x_1, \dots, x_n be", "let ● be", ["x₁, …, xₙ"]), ("let f : A → B be", "let ● be", ["f: A → B"]),
    ("`f a ≤ g a` and `foo a`", "`●` and `foo a`", ["f(a) ≤ g(a)"]), ("the ring A[x] is", "the ring ● is", ["A[x]"]),
    ("the norm (x > 0) of", "the norm (●) of", ["x > 0"]), ("sum ∑ x_i", "sum ●", ["∑ xᵢ"]),
    ("abs(x) + floor(y) is", "● is", ["|x| + ⌊y⌋"]), (r"of \phi^* is", "of ● is", ["ϕ^*"]),
    (r"the space \operatorname{Lip} {a, b} is", "the space ● is", ["Lip a, b"]),
    (r"here x_{\text{the number of}} = 1 holds", "here ● holds", ["x_(the number of) = 1"]),
    (r"in \begin{pmatrix} 1 & 2 \end{pmatrix} is", "in ● is", ["(1, 2)"]),
    ("x^2 = 1\ny^2 = 2", "●\n●", ["x² = 1", "y² = 2"]), ("x^2\n= 1 is", "● is", ["x² = 1"]),
]
WORDS = [
    "C++ and C# are languages", "born 2024-05-06 or 5/6/2024", "and/or", "p-adic numbers and the n-th root",
    "the group G of order n", "I am a student, e.g. of U.S. history", "Zariski's main theorem", "l'Hôpital's rule",
    "1/2", "24/7 support", "the 2nd and 3rd", "3-manifold", "k-means", "GL(n) acts", "a b c", "key=value",
    "10:30 http://a.b/c?d=e", "H2 O", "my_file.txt", "x - y", "w/o", "ℝ is complete", "n! grows", "case (a) and (b)",
    "the price is 5 < 6 and C++ > C", "| a | b | in a table", "see https://a.org/b_1?c=2", "floor(s) or root",
    "the set S of x in A", "volume = length*width", "version 2.0.1 of x1.py", "3 - 2 = 1", "a, b and c",
    "Ctrl+C or Cmd+V",
]
DOUBTFUL = [("n/2 is even", "n/2"), ("the file a_b", "a_b"), ("the term n-1", "n-1")]


@every_case(("text", "words", "formulas"), READ)
def test_what_is_clearly_a_formula_becomes_one(text: str, words: str, formulas: list[str]) -> None:
    guess = recognise_formulas(text)
    assert guess.content.text.replace(PLACEHOLDER, "●") == words
    assert [to_unicode(parse_latex(source)) for source in guess.formulas] == formulas
    assert [formula.source for formula in guess.content.formulas] == list(guess.formulas)


@every_case("text", WORDS)
def test_words_stay_words(text: str) -> None:
    guess = recognise_formulas(text)
    assert (guess.content, guess.formulas, guess.doubtful) == (Content(text), (), ())


@every_case(("text", "doubtful"), DOUBTFUL)
def test_what_is_not_clear_stays_words_and_is_reported(text: str, doubtful: str) -> None:
    guess = recognise_formulas(text)
    assert (guess.content, guess.formulas, guess.doubtful) == (Content(text), (), (doubtful,))


SAID = [  # a question, its words, the formulas
    ("why does the sum from n equals 1 to infinity of 1 over n squared converge", "why does the ● converge",
     ["∑ₙ₌₁^∞ 1/n²"]),
    ("integral of x squared dx equals x cubed over 3", "●", ["∫ x² dx = x³/3"]),
    ("variance sigma squared over n", "variance ●", ["σ²/n"]),
    ("A union B equals C, so x plus y equals z", "●, so ●", ["A ∪ B = C", "x + y = z"]),
    ("not the quantity p and q if and only if not p or not q", "●", ["¬ (p ∧ q) ↔ ¬ p ∨ ¬ q"]),
    ("is it true that x is at most x join y", "is it true that ●", ["x ≤ x ⊔ y"]),
]
SAID_NOWHERE = [
    "is the sum of two even functions even", "the square root of a prime", "a group and a ring", "two by two matrices",
    "the product of the compact spaces is compact", "for all x in A there is a y", "how many people share a birthday",
    "a sum of a prime",
]


@every_case(("text", "words", "formulas"), SAID)
def test_a_spoken_formula_of_a_question_is_read(text: str, words: str, formulas: list[str]) -> None:
    content = recognise_formulas(text).content
    assert content.text.replace(PLACEHOLDER, "●") == words
    assert [to_unicode(parse_latex(formula.source)) for formula in content.formulas] == formulas


@every_case("text", SAID_NOWHERE)
def test_prose_is_not_a_spoken_formula(text: str) -> None:
    assert recognise_formulas(text).formulas == ()


def test_the_words_of_a_spoken_formula_are_apart() -> None:
    guess = recognise_formulas("so A union B equals C, or x^2 = rank(A)")
    assert guess.spoken == ("union", "equals")
    assert guess.content.text.replace(PLACEHOLDER, "●") == "so ●, or ● rank"


NAMED = [  # a question, its formulas, its words after it
    ("A uu B = {x : x in A or x in B}", ["A ∪ B = {x: x ∈ A ∨ x ∈ B}"], " uu in or in"),
    ("is A subset.eq B union.sq C", ["A ⊆ B ⊔ C"], ""),
    ("forall x exists y x < y", ["∀ x ∃ yx < y"], " forall exists"),
    ("Gamma |- phi -> psi", ["Γ ⊢ ϕ → ψ"], ""),
    (r"\exists x \in A", ["∃ x ∈ A"], ""),
    ("not (p and q)", ["¬ (p ∧ q)"], " not and"),
    ("Real.sin x ^ 2 = 1", ["sin(x)² = 1"], " Real.sin"),
    ("□p → ◇p holds", ["□p → ◊p"], " holds"),
]


@every_case(("text", "formulas", "words"), NAMED)
def test_names_of_symbols_are_read_in_a_question(text: str, formulas: list[str], words: str) -> None:
    content = recognise_formulas(text).content
    assert [to_unicode(parse_latex(formula.source)) for formula in content.formulas] == formulas
    assert content.text.rpartition(PLACEHOLDER)[2] == words


@every_case("text", ["the union of A and B", "x and y in R", "there exists a sum", "divides or not"])
def test_words_that_are_names_too_stay_words(text: str) -> None:
    assert recognise_formulas(text).content == Content(text)


def test_the_words_of_a_formula_stay_words_after_it() -> None:
    content = recognise_formulas("so x = rank(A) + foo here").content
    assert content.text.replace(PLACEHOLDER, "●") == "so ● rank foo here"


def test_recognise_gives_the_same_content_where_nothing_is_new() -> None:
    for content in (
        Content("only words"), Content("a - b or n/2"), Content.of("is ", Formula("x^2")),
        Content(r"\item \emph{so} x^2 = 1"), Content("$x^2 + y$ is left to another reader"),
        Content("book=XII of name=value"),
    ):
        assert recognise(content) is content
    assert recognise(Content("is x^2")) == Content.of("is ", Formula("x^2", "unicode"))
    assert recognise(Content("so rank(A) <= 3 here")) == Content.of("so ", Formula("rank(A) <= 3", "unicode"), " here")


@given(st.text(alphabet=r"abxdf ^_{}()[]|=+-*/<>12,.?!'∑²√sin→ℝ:" + "\n", max_size=60))
def test_a_recognised_formula_stays_the_text_that_it_is(text: str) -> None:
    given = Content(text, (), ((0, 3),))
    assert recognise(given).with_terms_as_text().text == text


def test_the_lines_of_a_file_stay_known() -> None:
    text = f"one {PLACEHOLDER}\nx^2 +\ny and\nz = 1\nwords\nlast"
    given = Content(text, (Formula("a"),), ((0, 3), (text.index("words"), 20)))
    changed = recognise(given)
    assert changed.text.replace(PLACEHOLDER, "●") == "one ●\n● and\n●\nwords\nlast"
    for word in ("one", "and", "words", "last"):
        assert changed.line_of(changed.text.index(word)) == given.line_of(text.index(word))


@given(st.text(alphabet=" \n$x^2+=ab,", max_size=40), st.lists(st.integers(0, 40), max_size=3))
def test_the_lines_of_any_text_stay_known(text: str, starts: list[int]) -> None:
    lines = tuple((start, 2 * start) for start in sorted({min(start, len(text)) for start in starts}))
    given = Content(text, (), lines)
    changed = recognise(given)
    assert changed.line_of(len(changed.text)) == given.line_of(len(text))


@given(st.text(max_size=40) | st.lists(st.sampled_from([
    r"\begin{", "`", "{", "}", " ", "x", "^", "∀", ",", ":", "→", "...", "~", "(", "|", "\n", "\ud800",
]), max_size=25).map("".join))
def test_every_text_gives_places_in_order(text: str) -> None:
    places = [place for span in find_formulas(text) for place in span]
    assert places == sorted(places)
    assert all(0 <= place <= len(text) for place in places)


def test_formulas_between_dollars_stay_as_they_are() -> None:
    guess = recognise_formulas(Content.of("is ", Formula("x^2"), " less than y^2"))
    assert [formula.source for formula in guess.content.formulas] == ["x^2", "y^{2}"]
    assert guess.formulas == ("y^{2}",)


@given(st.text(alphabet=r"abxdf \^_{}()[]|=+-*/<>12,.?!'∑²√sin", max_size=60))
def test_any_text_is_read_and_its_words_are_kept(text: str) -> None:
    guess = recognise_formulas(text)
    assert len(guess.content.formulas) == len(guess.formulas)
    kept = iter(text)
    assert all(character in kept for character in guess.content.text if character != PLACEHOLDER)


@LONG_ONLY
def test_time_is_linear(assert_linear) -> None:
    for text in ("x^2 + ", "(", "word ", "a ", r"\frac{", "{ word ", "`a ", r"\begin{", "a, ", "∀ x, "):
        assert_linear(lambda size, text=text: recognise_formulas(text * size), 100, 1_000)


@LONG_ONLY
@every_case("text", ["not ", "x in ", "the sum of ", "a "])
def test_long_questions_are_read(text: str) -> None:
    assert recognise_formulas(text * 20_000 + "x plus y").content.text
