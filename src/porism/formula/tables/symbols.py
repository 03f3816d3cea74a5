"""The symbols of mathematics as data: for each its canonical label and every other way to write it.

A group is ``(token class, kind, lines)``. In ``lines`` entries are separated by ``;``; the first item of an entry is
the canonical label, the others are names of LaTeX commands (ASCII letters, without the backslash) or characters that
mean the same symbol. Fonts, accents, environments and commands that take arguments are in
:mod:`porism.formula.tables.commands`.
"""

from __future__ import annotations

SYMBOL_GROUPS: tuple[tuple[str, str, str], ...] = (
    ("greek", "V", """
        α alpha; β beta; γ gamma; δ delta; ϵ epsilon; ε varepsilon; ζ zeta; η eta; θ theta; ϑ vartheta; ι iota; κ
        kappa; ϰ varkappa; λ lambda; μ mu µ; ν nu; ξ xi; ο omicron; π pi; ϖ varpi; ρ rho; ϱ varrho; σ sigma; ς
        varsigma; τ tau; υ upsilon; ϕ phi; φ varphi; χ chi; ψ psi; ω omega; ϝ digamma; Γ Gamma varGamma; Δ Delta
        varDelta ∆; Θ Theta varTheta; Λ Lambda varLambda; Ξ Xi varXi; Π Pi varPi; Σ Sigma varSigma; Υ Upsilon
        varUpsilon ϒ; Φ Phi varPhi; Ψ Psi varPsi; Ω Omega varOmega Ω
    """),
    ("variable", "V", """
        ℓ ell; ı imath; ȷ jmath; ℘ wp weierp; ð eth; Ⅎ Finv; ⅁ Game; å aa; Å AA Å; æ ae; Æ AE; ø o; Ø O; œ oe; Œ OE;
        ß ss; ł l; Ł L
    """),
    ("constant", "V", """
        ∞ infty infin; ∅ emptyset varnothing empty; ℏ hbar hslash; ℵ aleph alef alefsym ℵ; ℶ beth ℶ; ℷ gimel ℷ; ℸ
        daleth ℸ; ⊤ top; ⊥ bot perp ⟂ Perp
    """),
    ("function", "V", """
        ℜ Re real Re; ℑ Im image Im; arg; deg; det; dim; gcd; hom; ker; Pr; lcm; sgn; rank; tr; Tr; erf; erfc; Li;
        Ei; Si; Ci; span; diag; Hom; End; Aut; Gal; Spec; Res; coker; im; ord; grad
    """),
    ("trigonometric", "V", """
        sin; cos; tan tg; cot ctg cotg; sec; csc cosec; arcsin; arccos; arctan arctg; arccot arcctg; arcsec; arccsc;
        sinh sh; cosh ch; tanh th; coth cth; sech; csch; arcsinh arsinh; arccosh arcosh; arctanh artanh; sinc
    """),
    ("logarithm", "V", "log; ln; lg; lb; exp"),
    ("limit", "V", """
        lim; limsup varlimsup; liminf varliminf; max; min; sup; inf; argmax; argmin; injlim varinjlim; projlim
        varprojlim; plim; esssup; essinf; colim
    """),
    ("equality", "O", """
        = eq; ≠ ne neq; ≡ equiv; ≢ nequiv; ≈ approx thickapprox; ≉ napprox; ≅ cong; ≇ ncong; ≃ simeq; ≄ nsimeq; ∼
        sim thicksim; ≁ nsim; ≍ asymp; ≐ doteq; ≑ doteqdot Doteq; ≒ fallingdotseq; ≓ risingdotseq; ≔ coloneqq
        coloneq colonequals; ≕ eqqcolon; ≜ triangleq; ≝; ≟; ≊ approxeq; ∽ backsim; ⋍ backsimeq; ≏ bumpeq; ≎ Bumpeq;
        ≗ circeq; ≖ eqcirc; ∝ propto varpropto
    """),
    ("order", "O", """
        < lt less; > gt greater; ≤ le leq leqslant leqq ⩽ ≦; ≥ ge geq geqslant geqq ⩾ ≧; ≪ ll; ≫ gg; ⋘ lll llless; ⋙
        ggg gggtr; ≮ nless; ≯ ngtr; ≰ nle nleq nleqslant nleqq; ≱ nge ngeq ngeqslant ngeqq; ≨ lneq lneqq lvertneqq
        ⪇; ≩ gneq gneqq gvertneqq ⪈; ≲ lesssim; ≳ gtrsim; ≶ lessgtr; ≷ gtrless; ⋚ lesseqgtr lesseqqgtr; ⋛ gtreqless
        gtreqqless; ⪅ lessapprox; ⪆ gtrapprox; ≺ prec; ≻ succ; ≼ preceq preccurlyeq ⪯; ≽ succeq succcurlyeq ⪰; ⊀
        nprec; ⊁ nsucc; ⋠ npreceq; ⋡ nsucceq; ≾ precsim; ≿ succsim; ⋖ lessdot; ⋗ gtrdot; ⊲ lhd vartriangleleft ⊲; ⊳
        rhd vartriangleright; ⊴ unlhd trianglelefteq trianglelefteqslant; ⊵ unrhd trianglerighteq
        trianglerighteqslant; ⋪ ntriangleleft; ⋫ ntriangleright; ⋬ ntrianglelefteq; ⋭ ntrianglerighteq
    """),
    ("membership", "O", "∈ in isin ∊; ∉ notin; ∋ ni owns ∍; ∌ notni"),
    ("subset", "O", """
        ⊂ subset; ⊃ supset; ⊆ subseteq subseteqq ⫅; ⊇ supseteq supseteqq ⫆; ⊄; ⊅; ⊈ nsubseteq nsubseteqq; ⊉
        nsupseteq nsupseteqq; ⊊ subsetneq subsetneqq varsubsetneq varsubsetneqq ⫋; ⊋ supsetneq supsetneqq
        varsupsetneq varsupsetneqq ⫌; ⋐ Subset; ⋑ Supset; ⊏ sqsubset; ⊐ sqsupset; ⊑ sqsubseteq; ⊒ sqsupseteq
    """),
    ("arrow", "O", """
        → to rightarrow longrightarrow ⟶ ➝; ← gets leftarrow longleftarrow ⟵; ↔ leftrightarrow longleftrightarrow ⟷;
        ↦ mapsto longmapsto ⟼; ↪ hookrightarrow; ↩ hookleftarrow; ↠ twoheadrightarrow; ↞ twoheadleftarrow; ↣
        rightarrowtail; ↢ leftarrowtail; ↑ uparrow; ↓ downarrow; ↕ updownarrow; ⇑ Uparrow; ⇓ Downarrow; ⇕
        Updownarrow; ↗ nearrow; ↘ searrow; ↙ swarrow; ↖ nwarrow; ⇝ rightsquigarrow leadsto ↝; ↭ leftrightsquigarrow;
        ⇌ rightleftharpoons; ⇋ leftrightharpoons; ⇀ rightharpoonup; ⇁ rightharpoondown; ↼ leftharpoonup; ↽
        leftharpoondown; ⇉ rightrightarrows; ⇇ leftleftarrows; ⇄ rightleftarrows; ⇆ leftrightarrows; ⇈ upuparrows; ⇊
        downdownarrows; ↾ upharpoonright restriction; ↿ upharpoonleft; ⇂ downharpoonright; ⇃ downharpoonleft; ⊸
        multimap; ↷ curvearrowright; ↶ curvearrowleft; ↻ circlearrowright; ↺ circlearrowleft; ↛ nrightarrow; ↚
        nleftarrow; ↮ nleftrightarrow; ↯; ⇛ Rrightarrow; ⇚ Lleftarrow
    """),
    ("logic", "O", """
        ⇒ Rightarrow Longrightarrow implies ⟹; ⇐ Leftarrow Longleftarrow impliedby ⟸; ⇔ Leftrightarrow
        Longleftrightarrow iff ⟺; ⇏ nRightarrow; ⇍ nLeftarrow; ⇎ nLeftrightarrow; ∧ land wedge; ∨ lor vee; ¬ lnot
        neg; ∀ forall; ∃ exists exist; ∄ nexists; ⊢ vdash; ⊣ dashv; ⊨ models vDash ⊧; ⊩ Vdash; ⊪ Vvdash; ⊬ nvdash; ⊭
        nvDash; ⊮ nVdash; ⊯ nVDash; ⊻ veebar; ⊼ barwedge; ∴ therefore; ∵ because; ⋏ curlywedge; ⋎ curlyvee
    """),
    ("relation", "O", """
        ∣ mid shortmid; ∤ nmid nshortmid; ∦ nparallel nshortparallel; ⌣ smile smallsmile; ⌢ frown smallfrown; ⋈
        bowtie Join; ≬ between; ⋔ pitchfork; ⪡; ∶ ratio
    """),
    ("additive", "O", """
        + plus; - minus − – ‐ ‑ ﹣; ± pm plusmn; ∓ mp; ∔ dotplus; ⊕ oplus; ⊖ ominus; ⊎ uplus; ⊞ boxplus; ⊟ boxminus
    """),
    ("multiplicative", "O", """
        ⋅ cdot centerdot · ‧ sdot; × times; * ast ∗ ⁎ ＊; ∘ circ ○; • bullet ∙; ⋆ star; ⊗ otimes; ⊙ odot; ⊛
        circledast; ⊚ circledcirc; ⊠ boxtimes; ⊡ boxdot; ⋄ diamond ⬦; ⋊ rtimes; ⋉ ltimes; ≀ wr; ⨿ amalg; ⋇
        divideontimes; ⊘ oslash; ⟑
    """),
    ("division", "O", "/ slash ∕ ⁄; ÷ div; mod bmod"),
    ("set-operator", "O", """
        ∩ cap; ∪ cup; ∖ setminus smallsetminus backslash \\ ⧵; △ triangle bigtriangleup vartriangle; ⊔ sqcup; ⊓
        sqcap; ∁ complement; ⋒ Cap doublecap; ⋓ Cup doublecup
    """),
    ("big-operator", "O", """
        ∑ sum; ∏ prod; ∐ coprod; ⋃ bigcup; ⋂ bigcap; ⋁ bigvee; ⋀ bigwedge; ⨁ bigoplus; ⨂ bigotimes; ⨀ bigodot; ⨄
        biguplus; ⨆ bigsqcup; ⨅ bigsqcap
    """),
    ("integral", "O", """
        ∫ int intop smallint; ∬ iint; ∭ iiint; ⨌ iiiint; ∮ oint; ∯ oiint; ∰ oiiint; ∲ varointclockwise; ∳
        ointctrclockwise
    """),
    ("open", "O", """
        ( lparen （; [ lbrack; { lbrace; ⟨ langle 〈 〈; ⌊ lfloor; ⌈ lceil; ⟦ llbracket; ⟮ lgroup; ⎰ lmoustache; ⌜
        ulcorner; ⌞ llcorner
    """),
    ("close", "O", """
        ) rparen ）; ] rbrack; } rbrace; ⟩ rangle 〉 〉; ⌋ rfloor; ⌉ rceil; ⟧ rrbracket; ⟯ rgroup; ⎱ rmoustache; ⌝
        urcorner; ⌟ lrcorner
    """),
    ("bar", "O", "| vert lvert rvert ｜; ∥ Vert lVert rVert parallel shortparallel ‖"),
    ("separator", "O", ", ， 、; ; semicolon ；; : colon ：; . ．;"),
    ("dots", "O", """
        … ldots dots dotsb dotsc dotsm dotsi dotso cdots mathellipsis hdots ⋯; ⋮ vdots; ⋱ ddots; ⋰ iddots adots
    """),
    ("prime", "O", "′ prime; ‵ backprime"),
    ("symbol", "O", """
        ! ！ exclam; ? ？; ∂ partial part; ∇ nabla; ∠ angle; ∡ measuredangle; ∢ sphericalangle; □ square Box; ■
        blacksquare qedsymbol ∎ qed; ▲ blacktriangle; ▼ blacktriangledown; ▽ bigtriangledown triangledown; ◁
        triangleleft; ▷ triangleright; ◀ blacktriangleleft; ▶ blacktriangleright; ◊ lozenge Diamond ◇; ⧫
        blacklozenge; ♣ clubsuit clubs; ♢ diamondsuit diamonds; ♡ heartsuit hearts; ♠ spadesuit spades; ★ bigstar; ♮
        natural; ♯ sharp; ♭ flat; ✓ checkmark; † dagger dag; ‡ ddagger ddag; § S; ¶ P; © copyright; £ pounds
        mathsterling; ¥ yen; € euro; ° degree; % percent; & amp And; # ; $ dollar mathdollar; @ ; _ lodash; ` ; ' ;
        " ; ~ ; ℧ mho; ◯ bigcirc; ⊺ intercal; ✠ maltese; ® circledR; Ⓢ circledS; ╱ diagup; ╲ diagdown
    """),
    ("accent", "O", "^ ; ¯ ; ˙; ¨; ˇ; ˘; ´; ⃛; ⃜; ⏞; ⏟; ⎴; ⎵; ⏜; ⏝; ˚"),
)
"""Every symbol that is known by name. Long arrows, slanted relations and the like are folded into one label each."""
