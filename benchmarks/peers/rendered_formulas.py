"""Formulas of all kinds that :mod:`benchmarks.peers.rendering` sets beside KaTeX and MathJax: one a line, LaTeX.

A line that begins with ``!`` is a formula on a line of its own (display style), the others are inline.
"""

from __future__ import annotations

_LINES = r"""
(-1)^k + (-x) = -1
|f(x)| \le |x| + |-y|
!\left(\frac{a+b}{c}\right)^2 + \left[\frac{1}{2}\right]_0^1
(a+b)^2 = a^2 + 2ab + b^2
!{n \brace k} = k{n-1 \brace k} + {n-1 \brace k-1}
!\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}
!\sum_{k=1}^n k^2 = \frac{n(n+1)(2n+1)}{6}
\sum_{k=1}^n k^2 \text{ and } \prod_{i \in I} X_i
!\lim_{x \to 0} \frac{\sin x}{x} = 1
\lim_{n\to\infty} a_n = \sup_{n} \inf_{k \ge n} a_k
f(x) = \begin{cases} x & \text{if } x > 0 \\ -x & \text{otherwise} \end{cases}
!A = \begin{pmatrix} a & b \\ c & d \end{pmatrix}, \quad \det A = \begin{vmatrix} a & b \\ c & d \end{vmatrix}
!\begin{bmatrix} 1 & 0 & \cdots & 0 \\ 0 & 1 & \cdots & 0 \\ \vdots & \vdots & \ddots & \vdots \end{bmatrix}
!\begin{aligned} (a+b)^2 &= a^2 + 2ab + b^2 \\ (a-b)^2 &= a^2 - 2ab + b^2 \end{aligned}
x = \frac{-b \pm \sqrt{b^2-4ac}}{2a}
!x = \frac{-b \pm \sqrt{b^2-4ac}}{2a}
!\cfrac{1}{1+\cfrac{1}{1+\cfrac{1}{x}}}
n! = n \cdot (n-1)!, \quad (2n)!!
\binom{n}{k} = \frac{n!}{k!(n-k)!}
!\binom{n}{k} + \binom{n}{k+1} = \binom{n+1}{k+1}
f'(x), \; f''(x), \; f^{(n)}(x), \; {f'}^2
\hat{x} + \tilde{y} + \bar{z} + \vec{v} + \dot{q} + \ddot{q} + \check{c} + \breve{b}
\widehat{abc} + \widetilde{xyz} + \overline{AB} + \overrightarrow{AB} + \underline{xy}
!\underbrace{a+b+\cdots+z}_{26} + \overbrace{1+1}^{2}
\mathbb{R}^n \to \mathbb{C}, \mathcal{F}(\mathfrak{g}), \mathbf{x}\cdot\mathbf{y}, \mathsf{A}, \mathtt{x}
\operatorname{lcm}(a,b)\gcd(a,b) = ab
\sin^2\theta + \cos^2\theta = 1, \; 2\sin x\cos x = \sin 2x
\log_2 n, \; \ln x, \; \exp(-x), \; \max(a,b), \; \arg\min_x f(x)
a \equiv b \pmod{m}, \; a \bmod b
\{ x \in \mathbb{R} \mid x > 0 \} = (0,\infty)
P(A|B) = \frac{P(B|A)P(A)}{P(B)}
\|x\|_2 = \sqrt{\langle x, x\rangle}
\lfloor x \rfloor \le x \le \lceil x \rceil
f\colon X \to Y, \quad x \mapsto x^2
f: A \hookrightarrow B \twoheadrightarrow C
\forall \epsilon > 0\ \exists \delta > 0\colon |x-a| < \delta \Rightarrow |f(x)-f(a)| < \epsilon
A \cup B \cap C \setminus D \subseteq E
p \land q \lor \neg r \implies s \iff t
x_1, x_2, \ldots, x_n \quad x_1 + \cdots + x_n
\frac{\partial^2 u}{\partial t^2} = c^2 \nabla^2 u
!\frac{\partial^2 u}{\partial t^2} = c^2 \Delta u
!\oint_{\partial\Omega} \mathbf{F}\cdot d\mathbf{S} = \iiint_\Omega \nabla\cdot\mathbf{F}\,dV
{}_2F_1(a,b;c;z)
!\left.\frac{df}{dx}\right|_{x=0}
!\left\{ \frac{a}{b} \,\middle|\, b \ne 0 \right\}
e^{i\pi} + 1 = 0
e^{-\frac{x^2}{2}} x^{n+1} a_{i-1,j} 2^{2^n} x_{i_j}
\sqrt[3]{x+1} + \sqrt{1+\sqrt{2}}
10^{-3}, \; 3.14, \; 1{,}000, \; 50\%
\overset{\text{def}}{=} \quad A \xrightarrow{f} B \xleftarrow[g]{} C
!\sum_{\substack{0 \le i \le m \\ 0 < j < n}} P(i,j)
a \ne b, a \notin S, a \nmid b, A \not\subset B
\aleph_0 < 2^{\aleph_0} = \mathfrak{c}
\Gamma(z) = \int_0^\infty t^{z-1}e^{-t}\,dt
x \in [0,1), \; (a,b], \; ]a,b[
u \otimes v \oplus w, \; A \times_S B, \; f \circ g, \; f * g
\alpha\beta\gamma\delta\epsilon\varepsilon\zeta\eta\theta\vartheta\iota\kappa\lambda\mu\nu\xi\pi\rho\sigma\tau\upsilon\phi\varphi\chi\psi\omega
\Gamma\Delta\Theta\Lambda\Xi\Pi\Sigma\Upsilon\Phi\Psi\Omega
A^T, A^*, A^\dagger, A^{-1}, x^+, x^-, \mathbb{R}_{\ge 0}
\big( \Big( \bigg( \Bigg( x \Bigg) \bigg) \Big) \big)
!\left( \sum_{i=1}^n a_i b_i \right)^2 \le \left( \sum_{i=1}^n a_i^2 \right) \left( \sum_{i=1}^n b_i^2 \right)
!\prod_{p} \frac{1}{1-p^{-s}} = \sum_{n=1}^\infty \frac{1}{n^s} = \zeta(s)
!\bigcup_{i=1}^n A_i \bigoplus_{i} M_i \bigotimes_k V_k \coprod_j X_j
d(x,y) = |x-y|, \quad \lvert -x \rvert
-\!\!\!\int f = a\!b \, c \: d \; e \quad f \qquad g
a + {-b}, a=-b, a(-b), [-1,1], -a-b, \pm 1, x\mapsto -x
y'' + p(x)y' + q(x)y = 0
\frac{d}{dx}\int_a^x f(t)\,dt = f(x)
!\left\lVert \frac{x}{y} \right\rVert^2 = \left|\frac{a}{b}\right|^{1/2}
\boldsymbol{\alpha} + \boldsymbol{x}, \; \mathbf{0}, \; \mathrm{d}x, \; \mathit{diff}, \; \mathscr{L}
\text{for all } x, \; \text{s.t. } y \text{th}
\limsup_{n\to\infty} x_n, \; \varliminf x_n, \; \operatorname*{ess\,sup}_{x} f
\prescript{14}{6}{C}, \; {}^t A
\stackrel{?}{=}, \; \underset{x}{\operatorname{argmax}}, \; \widehat{f * g}
a:b, \; a : b = c : d, \; f(x;\theta), \; [G:H]
\bigl| \frac{a}{b} \bigr| \quad \left| |a| - |b| \right|
\sum\limits_{i=1}^n i, \; \dfrac{a}{b}, \; \tfrac{a}{b}, \; \displaystyle\int_0^1 f
"""

FORMULAS: tuple[tuple[str, bool], ...] = tuple(
    (line.removeprefix("!"), line.startswith("!")) for line in _LINES.strip().splitlines()
)
"""LaTeX of each formula, and whether it is on a line of its own."""
