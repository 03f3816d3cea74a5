"""LaTeX to layout trees: each construct with the exact tree that it gives.

Trees are written as layout keys: nodes are separated by spaces and written kind, font, ``!``, label; rows under a node
stand in brackets after it: ``a`` above, ``b`` below, ``o`` over, ``u`` under, ``c`` and ``d`` scripts before, ``w``
within, ``e`` the cells of a matrix, each ended by ``&`` and each line by ``|``.
"""

from __future__ import annotations

from case_tables import every_case

from porism.formula import layout_key, parse_latex

CONSTRUCTS = [
    (r"x^{2}+\frac{a}{b}=0", "V!x [a N!2 ] O!+ F!/ [o V!a ] [u V!b ] O!= N!0"),
    (r"\big{(}x\big{)}", "O!( V!x O!)"),
    ("$x$", "V!x"),
    ("x$+y", "V!x O!+ V!y"),
    (r"\text{if $x>0$, then}y", r"T!if V!x O!> N!0 T!,\sthen V!y"),
    (r"\large x\small+y", "V!x O!+ V!y"),
    (r"\begin{array}[t]{c|c}1&2\\3&4\end{array}", "M! [e N!1 & N!2 & | N!3 & N!4 & | ]"),
    ("a&b", r"V!a O!\& V!b"),
    ("a#b", "V!a O!# V!b"),
    (r"\mathop{}\limits x", "V!x"),
    (r"\mathop{\rm ess\,sup}\limits_{x}f", "V!esssup [b V!x ] V!f"),
    (r"\left<x,y\right>", "O!⟨ V!x O!, V!y O!⟩"),
    (r"\left.\frac{df}{dx}\right|_{0}^1", r"F!/ [o V!d V!f ] [u V!d V!x ] O!\| [a N!1 ] [b N!0 ]"),
    (r"\left\{x\middle|x>0\right\}", r"O!{ V!x O!\| V!x O!> N!0 O!}"),
    (r"\begin{split}a&=b\\&=c\end{split}", "M!lines [e V!a O!= V!b & | O!= V!c & | ]"),
    (
        r"\left(\begin{smallmatrix}a&b\\c&d\end{smallmatrix}\right)^2",
        "M!() [a N!2 ] [e V!a & V!b & | V!c & V!d & | ]",
    ),
    (r"\begin{eqnarray}a&=&b\\c&=&d\end{eqnarray}", "M!lines [e V!a O!= V!b & | V!c O!= V!d & | ]"),
    (r"\begin{alignat}{2}a&=b\\c&=d\end{alignat}", "M!lines [e V!a O!= V!b & | V!c O!= V!d & | ]"),
    (r"\matrix{1&2\cr3&4}", "M! [e N!1 & N!2 & | N!3 & N!4 & | ]"),
    (r"\pmatrix{1&2\cr3&4\cr}", "M!() [e N!1 & N!2 & | N!3 & N!4 & | ]"),
    (r"\cases{x&y\cr z&w}", "M!{ [e V!x & V!y & | V!z & V!w & | ]"),
    (r"x=1\tag{3}", "V!x O!= N!1"),
    (r"x\label{eq:1}+y", "V!x O!+ V!y"),
    (r"\color{#c00}{x}+\textcolor{red}{y}", "V!x O!+ V!y"),
    ("x^2^3", "V!x [a N!2 N!3 ]"),
    (r"\frac{1}{2", "F!/ [o N!1 ] [u N!2 ]"),
    ("x}+y", "V!x O!} O!+ V!y"),
    (r"(x\right)", "O!( V!x O!)"),
    (r"x\end{matrix}y", "V!x V!y"),
    (r"\begin{matrix}a&b\\c&d", "M! [e V!a & V!b & | V!c & V!d & | ]"),
    (r"\left(x", "O!( V!x"),
    ("a\x00b\x07c", "V!a V!b V!c"),
    ("x\ud800y", "V!x E!� V!y"),
    (r"a\not\implies b\not=c\not\in D", "V!a O!⇏ V!b O!≠ V!c O!∉ V!D"),
    (r"\newcommand{\frac}[2]{#1\star#2}\frac{a}{b}", "V!a O!⋆ V!b"),
    (r"\newcommand\f[2][q]{#1_{#2}}\f{1}+\f[p]{2}", "V!q [b N!1 ] O!+ V!p [b N!2 ]"),
    (r"\newcommand\GL{\mathrm{GL}}\GL(n)", "V!GL O!( V!n O!)"),
    (r"\newcommand\G[2]{\mathrm{#1G#2}}\G St\mathrm{a}\mathrm{b}", "V!SGt Vrm!a Vrm!b"),
    (r"\def\pair#1#2{(#1,#2)}\pair xy", "O!( V!x O!, V!y O!)"),
    (r"\let\a=\beta\a", "V!β"),
    (r"\DeclareMathOperator{\foo}{foo}\foo x", "V!foo V!x"),
    (r"\root n+1\of{x+y}", "R!√ [c V!n O!+ N!1 ] [w V!x O!+ V!y ]"),
    (r"\sum_{\substack{i<n\\j<m}}a", "O!∑ [b M!lines [e V!i O!< V!n & | V!j O!< V!m & | ] ] V!a"),
    (r"\require{cancel}\cancel{x}", "V!x"),
    (r"\widetilde{AB}", "G! [o O!~ ] [w V!A V!B ]"),
    (r"{a+1\over b}c", "F!/ [o V!a O!+ N!1 ] [u V!b ] V!c"),
    (r"n\choose k", "F!choose [o V!n ] [u V!k ]"),
    (r"\left(a\over b\right)", "O!( F!/ [o V!a ] [u V!b ] O!)"),
    (r"{a\atop b}", "M!lines [e V!a & | V!b & | ]"),
    ("x+\\", "V!x O!+"),
    (r"\qvar{x}+?y1", "W!x O!+ W!y1"),
    ("x?", "V!x O!?"),
    (r"\mbox{if}~x", "T!if V!x"),
    (".5+0.25", "N!0.5 O!+ N!0.25"),
    ("1{,}000", "N!1000"),
    (r"f''+f^{\prime\prime}+f'^2", "V!f [a O!′ O!′ ] O!+ V!f [a O!′ O!′ ] O!+ V!f [a O!′ N!2 ]"),
    (r"{\rm d}x\rm d x", "Vrm!d V!x Vrm!d Vrm!x"),
    (r"\mathcal{F}\mathscr{F}\cal G", "Vcal!F Vcal!F Vcal!G"),
    (r"a\\b", "M!lines [e V!a & | V!b & | ]"),
    ("a+% b% {c}", "V!a O!+ V!b V!c"),
    ("a % note\n+b", "V!a O!+ V!b"),
    (r"\frac12 3", "F!/ [o N!1 ] [u N!2 ] N!3"),
    (r"\frac 1{23}", "F!/ [o N!1 ] [u N!23 ]"),
    ("x^12", "V!x [a N!1 ] N!2"),
    (r"\sqrt2x\sqrt[3]{y}", "R!√ [w N!2 ] V!x R!√ [c N!3 ] [w V!y ]"),
    ("x_i^2+x^2_i", "V!x [a N!2 ] [b V!i ] O!+ V!x [a N!2 ] [b V!i ]"),
    (r"\lim\limits_{x\to0}\int\nolimits_0^1", "V!lim [b V!x O!→ N!0 ] O!∫ [a N!1 ] [b N!0 ]"),
    ("{}_a^bX", "V!X [c V!b ] [d V!a ]"),
    ("{}_nC_k", "V!C [d V!n ] [b V!k ]"),
    ("R^a{}_b", "V!R [a V!a ] [b V!b ]"),
    (r"\hat x\bar{ab}\vec{v}\dot{q}", "V!x [o O!^ ] G! [o O!¯ ] [w V!a V!b ] V!v [o O!→ ] V!q [o O!˙ ]"),
    (r"\overline{x^2}+\overline{x}^2", "G! [o O!¯ ] [w V!x [a N!2 ] ] O!+ V!x [o O!¯ ] [a N!2 ]"),
    (r"\underbrace{a+b}_{n}\overbrace{c}^{m}", "G! [u O!⏟ [b V!n ] ] [w V!a O!+ V!b ] V!c [o O!⏞ [a V!m ] ]"),
    (r"\overset{!}{=}\underset{n}{\max}\stackrel{f}{\to}", "O!= [o O!! ] V!max [b V!n ] O!→ [o V!f ]"),
    (r"\xrightarrow[g]{f}", "O!→ [o V!f ] [u V!g ]"),
    (r"\mathbb{R}\mathbb R\Bbb{N}ℤ", "Vbb!ℝ Vbb!ℝ Vbb!ℕ Vbb!ℤ"),
    (r"\mathbf{GL}\mathbf x\mathrm{lcm}\mathfrak{g}\mathsf{A}", "Vbf!GL Vbf!x V!lcm Vfrak!g Vsf!A"),
    (r"\boldsymbol\alpha\mathbf\alpha", "Vbf!α V!α"),
    (r"\operatorname{arg\,max}_x\operatorname*{ess\,sup}", "V!argmax [b V!x ] V!esssup"),
    (r"\pmod n\bmod m", "O!( O!mod V!n O!) O!mod V!m"),
    (r"\R^n\abs{x}", r"Vbb!ℝ [a V!n ] O!\| V!x O!\|"),
    (r"\binom nk\tbinom{n}{k}", "F!choose [o V!n ] [u V!k ] F!choose [o V!n ] [u V!k ]"),
    (r"\|x\|\lVert y\rVert", "O!∥ V!x O!∥ O!∥ V!y O!∥"),
    (r"\{x\mid x>0\}", "O!{ V!x O!∣ V!x O!> N!0 O!}"),
    ("(a+b)^2{(a+b)}^2", "O!( V!a O!+ V!b O!) [a N!2 ] O!( V!a O!+ V!b O!) [a N!2 ]"),
    ("{n!}^2", "V!n O!! [a N!2 ]"),
    ("{ab}^2", "G! [w V!a V!b ] [a N!2 ]"),
    ("{x^2}^3", "G! [w V!x [a N!2 ] ] [a N!3 ]"),
    ("½x²₁+𝐱≤π", "F!/ [o N!1 ] [u N!2 ] V!x [a N!2 ] [b N!1 ] O!+ Vbf!x O!≤ V!π"),
    (r"a\le b\leq c\leqslant d≤e", "V!a O!≤ V!b O!≤ V!c O!≤ V!d O!≤ V!e"),
    (r"\ldots\cdots\dots...", "O!… O!… O!… O!…"),
    ("x,y.", "V!x O!, V!y"),
    (r"\foo{x}", r"E!\\foo V!x"),
    (r"\foo{xy}z", r"E!\\foo G! [w V!x V!y ] V!z"),
    (r"\foo f{xy}{yz}{x}", r"E!\\foo V!f G! [w V!x V!y ] G! [w V!y V!z ] V!x"),
    (r"\foo+{xy}", r"E!\\foo O!+ V!x V!y"),
    (r"a:=b\colon c", "V!a O!≔ V!b O!: V!c"),
    (r"i<=j>=k\to l->m", "V!i O!≤ V!j O!≥ V!k O!→ V!l O!→ V!m"),
    (r"\int_0^1 f\,dx", "O!∫ [a N!1 ] [b N!0 ] V!f V!d V!x"),
    (r"\left(\frac{a}{b}\right]", r"O!( F!/ [o V!a ] [u V!b ] O!\]"),
    (r"x^\frac12", "V!x [a F!/ [o N!1 ] [u N!2 ] ]"),
    (r"x^\mathrm{T}", "V!x [a Vrm!T ]"),
    (r"x_\text{max}", "V!x [b V!max ]"),
    ("x^", "V!x"),
    (r"\frac", "F!/ [o ] [u ]"),
    (r"\sqrt", "R!√ [w ]"),
    ("^2", "G! [w ] [a N!2 ]"),
    ("_", ""),
    ("&lt;x&gt;", "O!< V!x O!>"),
    (r"\begin{foo}x\end{foo}", "V!x"),
    (r"\begin{cases}1,&x>0,\\0.\end{cases}", "M!{ [e N!1 & V!x O!> N!0 & | N!0 & | ]"),
    (r"\left[\begin{array}{c}1\\2\end{array}\right]", r"M!\[\] [e N!1 & | N!2 & | ]"),
    (r"\left\{\begin{array}{ll}a&b\\c&d\end{array}\right.", "M!{ [e V!a & V!b & | V!c & V!d & | ]"),
    (r"\begin{aligned}x=1\end{aligned}", "V!x O!= N!1"),
    (r"\hskip 1em x\kern-2pt y", "V!x V!y"),
    (r"\phantom{x}y\hphantom{z}", "V!y"),
    (r"\prescript{}{2}F", "V!F [d N!2 ]"),
    (r"\Pr(A)\Re z\Im w", "V!Pr O!( V!A O!) V!ℜ V!z V!ℑ V!w"),
]


@every_case(("source", "key"), CONSTRUCTS)
def test_construct_gives_exactly_this_tree(source: str, key: str) -> None:
    assert layout_key(parse_latex(source)) == key


SAME = [
    (r"x^2", r"x^{2}", r"{x}^{2}", r"x ^ 2", r"x^ {2}", "x²"),
    (r"\frac12", r"\frac{1}{2}", r"\frac 1 2", r"{1\over 2}", r"\dfrac{1}{2}", r"\tfrac12", "½"),
    (r"a\le b", r"a\leq b", r"a\leqslant b", "a≤b", "a<=b"),
    (r"a\to b", r"a\rightarrow b", r"a\longrightarrow b", "a→b"),
    (r"a\ne b", r"a\neq b", r"a\not=b", r"a\not= b", "a≠b"),
    ("f''", r"f^{\prime\prime}", r"f^{''}", "f″", r"f^\prime{}^\prime"),
    (r"\binom{n}{k}", r"{n\choose k}", r"\dbinom nk"),
    (r"\begin{pmatrix}a&b\\c&d\end{pmatrix}",
     r"\left(\begin{matrix}a&b\\c&d\end{matrix}\right)", r"\pmatrix{a&b\cr c&d}",
     r"\left(\begin{array}{cc}a & b \\ c & d \\ \end{array}\right)", r"(\begin{smallmatrix}a&b\\c&d\end{smallmatrix})"),
    (r"\begin{cases}a&b\\c&d\end{cases}", r"\left\{\begin{array}{ll}a&b\\c&d\end{array}\right.", r"\cases{a&b\cr c&d}"),
    (r"\begin{align}a&=b\\c&=d\end{align}",
     r"\begin{aligned}a=&b\\c=&d\end{aligned}", r"\begin{array}{rcl}a&=&b\\c&=&d\end{array}",
     r"\begin{gather*}a=b\\c=d\end{gather*}", r"\eqalign{a&=b\cr c&=d\cr}"),
    (r"\sqrt[3]{x}", r"\root 3\of{x}", r"\root{3}\of x"),
    (r"\mathrm{lcm}(a)", r"\operatorname{lcm}(a)", r"{\rm lcm}(a)", r"\operatorname{l\,cm}(a)"),
    (r"\hat x", r"\widehat{x}", r"\hat{x}", "x\u0302"),
    (r"\sum_{i}^{n}", r"\sum\limits^n_i", "∑_i^n", r"\displaystyle\sum_{i}^{n}"),
    (r"x_{i}^{2}", r"x^2_i", r"{x_i}^2", r"{x^{2}}_i"),
    (r"{x^2}^3_i", r"{x^2_i}^3", r"{x_i^2}^3"),
    (r"\mathbb{R}", r"\mathbb R", "ℝ", r"\Bbb R", r"\R"),
    (r"\mathbf{x}", r"{\bf x}", r"\boldsymbol{x}", "𝐱"),
    (r"1{,}000{,}000", r"1\,000\,000", "1000000"),
    (r"\max_{x}f", r"\underset{x}{\max}f", r"\max\limits_x f"),
    (r"x=1.", "x=1", r"x=1\,,", r"x=1;\quad"),
]


@every_case("spellings", SAME, ids=[group[0] for group in SAME])
def test_spellings_of_the_same_give_equal_trees(spellings: tuple[str, ...]) -> None:
    assert {layout_key(parse_latex(source)) for source in spellings} == {layout_key(parse_latex(spellings[0]))}


DIFFERENT = [
    (r"\mathbb{R}", "R"), (r"\mathbf{x}", "x"), (r"\mathcal{A}", r"\mathfrak{A}"),
    (r"\overline{x^2}", r"\overline{x}^2"),
    (r"\phi", r"\varphi"), (r"x_2", "x^2"), (r"\subset", r"\subseteq"), (r"|x|", r"\|x\|"), (r"a\mid b", "a|b"),
    ("12", "1+2"),
    (r"\frac ab", r"\binom ab"), (r"\sqrt x", r"\sqrt[3]x"), (r"{}_nC_k", "nC_k"), (r"\text{if}", r"\mathrm{if}"),
]


@every_case(("one", "other"), DIFFERENT)
def test_different_things_stay_apart(one: str, other: str) -> None:
    assert layout_key(parse_latex(one)) != layout_key(parse_latex(other))


PROBLEMS = [
    (r"x+\foo y", 2, "unknown command \\foo"), ("x}y", 1, "} without {"), (r"\frac{a}", 8, "an argument is missing"),
    (r"{x", 0, "this is never closed"), (r"x\right)", 1, "\\right without \\left"),
    (r"a\end{b}", 1, "\\end without \\begin"),
    (r"\begin{foo}x\end{foo}", 0, "unknown environment foo"), ("a&b", 1, "a stray &"), ("x+$ y", 2, "a stray $"),
    ("x^2^3", 4, "a second superscript"), ("a\x00", 1, "control character 0"),
    ("\ud800", 0, "a character that is not text"),
    (r"\begin{matrix}a\end{array}", 15, r"\end{array} ends matrix"), ("x\\", 1, "a backslash at the end"),
    (r"\text{a", 7, "text is never closed"),
]


@every_case(("source", "position", "what"), PROBLEMS)
def test_what_was_not_understood_is_reported_with_its_position(source: str, position: int, what: str) -> None:
    assert (position, what) in [(problem.position, problem.what) for problem in parse_latex(source).problems]


@every_case(
    "source",
    ["$x+1$", "$$x$$", r"\(x\)", r"\[x\]", r"\begin{equation}x=1\label{a}\tag{2}\end{equation}", r"\,x\!\;"],
)
def test_what_is_well_formed_has_no_problems(source: str) -> None:
    assert parse_latex(source).problems == ()


def test_spans_point_at_the_source() -> None:
    source = r"\frac{a+1}{\beta} = x_{12}"
    fraction, equals, x = parse_latex(source).row
    assert source[fraction.start:fraction.end] == r"\frac{a+1}{\beta}"
    assert [source[node.start:node.end] for node in fraction.over or []] == ["a", "+", "1"]
    assert [source[node.start:node.end] for node in fraction.under or []] == [r"\beta"]
    assert source[equals.start:equals.end] == "="
    assert source[x.start:x.end] == "x"
    assert [source[node.start:node.end] for node in x.below or []] == ["12"]


def test_what_a_macro_makes_has_the_span_of_its_call_and_arguments_keep_theirs() -> None:
    source = r"a+\half{}+\norm{xy}"
    tree = parse_latex(source)
    assert [source[node.start:node.end] for node in tree.row[2:3]] == [r"\half"]
    assert [source[node.start:node.end] for node in tree.row[4:]] == [r"\norm{xy}", "x", "y", r"\norm{xy}"]


def test_macros_given_by_the_caller() -> None:
    macros = {"inner": (2, r"\langle #1,#2\rangle"), "alpha": (0, r"\beta")}
    assert layout_key(parse_latex(r"\inner{x}{y}\alpha", macros=macros)) == "O!⟨ V!x O!, V!y O!⟩ V!β"
    assert layout_key(parse_latex(r"\sqrt[3]{\inner xy}", macros=macros)) == "R!√ [c N!3 ] [w O!⟨ V!x O!, V!y O!⟩ ]"


@every_case(
    ("source", "same"),
    [
        (r"\symbb{R}\symbfcal{A}\symup{d}x", r"\mathbb{R}\mathcal{A}\mathrm{d}x"), (r"a\goodbreak b\badbreak c", "abc"),
        (r"x\raise{2pt}{y}\lower{-2pt}{z}\hskip{1cm}w", "xyzw"), (r"a\newline b", r"a\\b"),
        (r"a\break b", r"a\\b"), (r"\begin{aligned}a\MTFlushSpaceBelow b\end{aligned}", r"a\\b"),
        (r"\left\lt x\right&gt;", r"\langle x\rangle"), (r"\bigl&lt;x\bigr\gt", r"\langle x\rangle"),
        (r"\begin{aligned} [0,1]a\\b\end{aligned}", r"[0,1]a\\b"), (r"\begin{aligned} [t] a\\b\end{aligned}", r"a\\b"),
        (r"\begin{aligned}[x]a\\b\end{aligned}", r"a\\b"),
        (r"\begin{multlined} a\\b\end{multlined}", r"a\\b"),
        (r"\begin{subarray}{cc}a&b\\c&d\end{subarray}", r"\begin{matrix}a&b\\c&d\end{matrix}"),
        (r"\setOptions[ams]{multlineWidth=50%}x", "x"), (r"\require[loose=true]{units}x", "x"),
        (r"'x", r"\prescript{'}{}{x}"), (r"{}'x", r"\prescript{'}{}{x}"), (r"x^{'}", "x'"), (r"({'}x)", "(′x)"),
        (r"{}_6{}^{14}C", r"\prescript{14}{6}{C}"), (r"{}^1{}^2{}_3X", r"\prescript{{1}{2}}{3}{X}"),
        (r"{\int\int}_D f", r"\int\int_D f"), (r"\sideset{a{}'}{_2b}X", r"a\sideset{'}{_2}Xb"),
 (r"a\\*b", r"a\\b"),
        (r"a\\[1,5cm]b", r"a\\b"), (r"\oldstyle 9", "9"), (r"\text{+}\text{≠}", "+≠"),
        (r"\text{𝔸}\texttwooldstyle", "𝔸2"),
    ],
)
def test_layout_and_other_spellings_change_nothing(source: str, same: str) -> None:
    assert layout_key(parse_latex(source)) == layout_key(parse_latex(same))
    assert parse_latex(source).problems == ()


@every_case(("latex", "number"), [
    ("3{,}14", "3.14"), ("0{,}125", "0.125"), ("1{,}000", "1000"), ("12{,}345{,}678", "12345678"),
    ("1{,}234.5", "1234.5"), (r"10\,000", "10000"),
])
def test_commas_of_numbers(latex: str, number: str) -> None:
    assert [node.label for node in parse_latex(latex).row] == [number]


@every_case(("written", "meant", "signs"), [
    (r"\left{x\mid x>0\right}", r"\left\{x\mid x>0\right\}", "{}"),
    (r"\left\{x\right}", r"\left\{x\right\}", "}"),
    (r"\frac{\left{x\right}}{2}", r"\frac{\left\{x\right\}}{2}", "{}"),
    (r"\left\[x\right\]", r"\left[x\right]", "[]"),
    (r"\left\(x\right\)^2", r"\left(x\right)^2", "()"),
])
def test_a_brace_or_bracket_that_is_no_fence_is_read_as_one_and_reported(written: str, meant: str, signs: str) -> None:
    tree = parse_latex(written)
    assert layout_key(tree) == layout_key(parse_latex(meant))
    assert [problem.what.split()[0].strip("\\") for problem in tree.problems] == list(signs)


def test_a_fence_that_is_missing_before_the_end_of_a_group_stays_missing() -> None:
    tree = parse_latex(r"{\left(x\right}y")
    assert layout_key(tree) == layout_key(parse_latex(r"\left(x\right.y"))
    assert [problem.what for problem in tree.problems] == ["a fence is missing"]
