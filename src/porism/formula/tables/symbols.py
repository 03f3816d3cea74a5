"""The symbols of mathematics as data: for each its canonical label and every other way to write it.

A group is ``(token class, kind, lines)``. In ``lines`` entries are separated by ``;``; the first item of an entry is
the canonical label, the others are names of LaTeX commands (ASCII letters, without the backslash) or characters that
mean the same symbol. Fonts, accents, environments and commands that take arguments are in
:mod:`porism.formula.tables.commands`.
"""

from __future__ import annotations

SYMBOL_GROUPS: tuple[tuple[str, str, str], ...] = (
    ("greek", "V", """
        α alpha upalpha; β beta upbeta; γ gamma upgamma; δ delta updelta; ϵ epsilon upepsilon; ε varepsilon
        upvarepsilon; ζ zeta upzeta; η eta upeta; θ theta uptheta; ϑ vartheta upvartheta; ι iota upiota; κ kappa
        upkappa; ϰ varkappa upvarkappa; λ lambda uplambda; μ mu upmu micro textmu µ; ν nu upnu; ξ xi upxi; ο omicron
        upomicron; π pi uppi; ϖ varpi upvarpi; ρ rho uprho; ϱ varrho upvarrho; σ sigma upsigma; ς varsigma upvarsigma;
        τ tau uptau; υ upsilon upupsilon; ϕ phi upphi; φ varphi upvarphi; χ chi upchi; ψ psi uppsi; ω omega upomega; ϝ
        digamma updigamma; Γ Gamma varGamma Upgamma upGamma; Δ Delta varDelta Updelta upDelta ∆; Θ Theta varTheta
        Uptheta upTheta; Λ Lambda varLambda Uplambda upLambda; Ξ Xi varXi Upxi upXi; Π Pi varPi Uppi upPi; Σ Sigma
        varSigma Upsigma upSigma; Υ Upsilon varUpsilon Upupsilon upUpsilon ϒ; Φ Phi varPhi Upphi upPhi; Ψ Psi varPsi
        Uppsi upPsi; Ω Omega varOmega Upomega upOmega ohm textohm
    """),
    ("variable", "V", """
        ℓ ell; ı imath imathbb imathbfbb itextbb itextbfbb; ȷ jmath
        jmathbb jmathbfbb jtextbb jtextbfbb; ℘ wp weierp; ð eth dh matheth; Ⅎ Finv; ⅁ Game; å aa; Å AA angstrom; æ ae; Æ
        AE; ø o;
        Ø O; œ oe; Œ OE; ß ss; ł l; Ł L; Ð DH
    """),
    ("constant", "V", """
        ∞ infty infin; ∅ emptyset varnothing empty diameter ⌀; ℏ hbar hslash; ℵ aleph alef alefsym; ℶ beth; ℷ gimel; ℸ
        daleth; ⊤ top; ⊥ bot perp ⟂ Perp
    """),
    ("function", "V", """
        ℜ Re real; ℑ Im image; arg; deg; det; dim; gcd; hom; ker; Pr; lcm; sgn; rank; tr; Tr; erf; erfc; Li; Ei; Si;
        Ci; span; diag; Hom; End; Aut; Gal; Spec; Res; TeX; LaTeX; coker; im; ord; Var; Cov; Ext; Tor; card; supp;
        cis; vol; id
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
        = eq equal; ≠ ne neq; ≡ equiv; ≢ nequiv; ≈ approx thickapprox; ≉ napprox; ≅ cong; ≇ ncong; ≆ simneqq; ≃ simeq;
        ≄ nsimeq nsime; ∼ sim thicksim; ≁ nsim; ≂ eqsim minussim; ≍ asymp; ≭ nasymp; ≐ doteq; ≑ doteqdot Doteq; ≒
        fallingdotseq; ≓ risingdotseq; ≔ coloneqq coloneq colonequals colonequal; ≕ eqqcolon eqcolon equalscolon; ⩴
        Coloneqq Coloneq coloncolonequals; ⩵ Equal eqeq; ⩶ eqeqeq; ≜ triangleq triangleeq; ≝ eqdef; ≟ questeq; ≊
        approxeq; ≋ approxident; ⩰ approxeqq; ∽ backsim; ⋍ backsimeq; ≌ backcong; ≏ bumpeq; ≎ Bumpeq; ⪮ bumpeqq; ≗
        circeq; ≖ eqcirc; ≙ corresponds wedgeq; ≚ veeeq; ≛ stareq; ≞ measeq; ∝ propto varpropto; ⩭ congdot; ≣ Equiv; ⩮
        asteq; ⩦ eqdot; ⩳ eqqsim; ∺ dotsminusdots; ∻ kernelcontraction; ≘ arceq frowneq
    """),
    ("order", "O", """
        < lt less textless; > gt greater textgreater; ≤ le leq leqslant leqq ⩽ ≦; ≥ ge geq geqslant geqq ⩾ ≧; ≪ ll; ≫
        gg; ⋘ lll llless; ⋙ ggg gggtr; ≮ nless; ≯ ngtr; ≰ nle nleq nleqslant nleqq; ≱ nge ngeq ngeqslant ngeqq; ≨ lneq
        lneqq lvertneqq ⪇; ≩ gneq gneqq gvertneqq ⪈; ≲ lesssim; ≳ gtrsim; ≴ nlesssim; ≵ ngtrsim; ⋦ lnsim; ⋧ gnsim; ≶
        lessgtr; ≷ gtrless; ≸ nlessgtr; ≹ ngtrless; ⋚ lesseqgtr lesseqqgtr ⪋; ⋛ gtreqless gtreqqless ⪌; ⪅ lessapprox;
        ⪆ gtrapprox; ⪉ lnapprox; ⪊ gnapprox; ⪍ lsime; ⪎ gsime; ⪕ eqslantless; ⪖ eqslantgtr; ⋜ eqless; ⋝ eqgtr; ≺ prec;
        ≻ succ; ≼ preceq preccurlyeq ⪯ preceqq ⪳; ≽ succeq succcurlyeq ⪰ succeqq ⪴; ⊀ nprec; ⊁ nsucc; ⋠ npreceq
        npreccurlyeq; ⋡ nsucceq nsucccurlyeq; ⪱ precneq precneqq ⪵; ⪲ succneq succneqq ⪶; ≾ precsim; ≿ succsim; ⋨
        precnsim; ⋩ succnsim; ⪷ precapprox; ⪸ succapprox; ⪹ precnapprox; ⪺ succnapprox; ⋞ curlyeqprec; ⋟ curlyeqsucc;
        ⪻ Prec llcurly; ⪼ Succ ggcurly; ⋖ lessdot ltdot; ⋗ gtrdot; ⊰ prurel; ⊱ scurel; ⊲ lhd vartriangleleft
        lessclosed; ⊳ rhd vartriangleright gtrclosed; ⊴ unlhd trianglelefteq trianglelefteqslant leqclosed; ⊵ unrhd
        trianglerighteq trianglerighteqslant geqclosed; ⋪ ntriangleleft nlessclosed; ⋫ ntriangleright ngtrclosed; ⋬
        ntrianglelefteq ntrianglelefteqslant nleqclosed; ⋭ ntrianglerighteq ntrianglerighteqslant ngeqclosed
    """),
    ("membership", "O", """
        ∈ in isin ∊ smallin; ∉ notin nin; ∋ ni owns ∍ backepsilon smallni; ∌ notni nni notowner; ⋲ disin; ⋳ varisins;
        ⋴ isins; ⋵ isindot; ⋶ varisinobar; ⋷ isinobar; ⋸ isinvb; ⋹ isinE
    """),
    ("subset", "O", """
        ⊂ subset; ⊃ supset; ⊆ subseteq subseteqq ⫅; ⊇ supseteq supseteqq ⫆; ⊄ nsubset; ⊅ nsupset; ⊈ nsubseteq
        nsubseteqq; ⊉ nsupseteq nsupseteqq; ⊊ subsetneq subsetneqq varsubsetneq varsubsetneqq ⫋; ⊋ supsetneq
        supsetneqq varsupsetneq varsupsetneqq ⫌; ⋐ Subset; ⋑ Supset; ⊏ sqsubset; ⊐ sqsupset; ⊑ sqsubseteq; ⊒
        sqsupseteq; ⋢ nsqsubseteq; ⋣ nsqsupseteq; ⋤ sqsubsetneq; ⋥ sqsupsetneq; ⪽ subsetdot; ⪾ supsetdot; ⫃
        subseteqdot subedot; ⫄ supseteqdot supedot; ⪿ subsetplus; ⫀ supsetplus; ⫉ subsetapprox; ⫊ supsetapprox; ⫏
        csub; ⫐ csup
    """),
    ("arrow", "O", """
        → to rightarrow longrightarrow ⟶ ➝ shortrightarrow textrightarrow; ← gets leftarrow longleftarrow ⟵
        shortleftarrow textleftarrow; ↔ leftrightarrow longleftrightarrow ⟷; ↦ mapsto longmapsto ⟼; ↤ mapsfrom
        longmapsfrom ⟻; ⤇ Mapsto Longmapsto ⟾; ⤆ Mapsfrom Longmapsfrom ⟽; ↪ hookrightarrow; ↩ hookleftarrow; ↠
        twoheadrightarrow; ↞ twoheadleftarrow; ↣ rightarrowtail; ↢ leftarrowtail; ⤖ twoheadrightarrowtail; ↑ uparrow
        shortuparrow textuparrow; ↓ downarrow shortdownarrow textdownarrow; ↕ updownarrow; ⇑ Uparrow; ⇓ Downarrow; ⇕
        Updownarrow; ↗ nearrow; ↘ searrow; ↙ swarrow; ↖ nwarrow; ⇗ Nearrow; ⇘ Searrow; ⇙ Swarrow; ⇖ Nwarrow; ⤡
        nwsearrow; ⤢ neswarrow; ⇝ rightsquigarrow leadsto ↝ rightwavearrow longrightsquigarrow ⟿; ⇜ leftsquigarrow ↜
        leftwavearrow; ↭ leftrightsquigarrow leftrightwavearrow; ⇌ rightleftharpoons; ⇋ leftrightharpoons; ⇀
        rightharpoonup; ⇁ rightharpoondown; ↼ leftharpoonup; ↽ leftharpoondown; ⇉ rightrightarrows; ⇇ leftleftarrows;
        ⇄ rightleftarrows; ⇆ leftrightarrows; ⇈ upuparrows; ⇊ downdownarrows; ⇅ updownarrows; ⇵ downuparrows; ⇶
        rightthreearrows; ↾ upharpoonright restriction; ↿ upharpoonleft; ⇂ downharpoonright; ⇃ downharpoonleft; ⊸
        multimap; ⟜ multimapinv; ⧟ multimapboth; ↷ curvearrowright; ↶ curvearrowleft; ↻ circlearrowright; ↺
        circlearrowleft; ⟳ cwgapcirclearrow acwcirclearrow; ⟲ acwgapcirclearrow cwcirclearrow; ↛ nrightarrow; ↚
        nleftarrow; ↮ nleftrightarrow; ↯ lightning downzigzagarrow; ⇛ Rrightarrow; ⇚ Lleftarrow; ↫ looparrowleft; ↬
        looparrowright; ↰ Lsh; ↱ Rsh; ↲ Ldsh; ↳ Rdsh; ⇢ dashrightarrow dasharrow; ⇠ dashleftarrow; ⇡ dashuparrow; ⇣
        dashdownarrow; ⇥ rightarrowbar; ⇤ leftarrowbar; ⇸ nvrightarrow pfun; ⇷ nvleftarrow; ⇻ nVrightarrow ffun; ⤔
        nVtwoheadrightarrowtail; ⤕ finj; ⥲ similarrightarrow simrightarrow; ⥱ equalrightarrow; ⤳ rightcurvedarrow; ⇴
        circleonrightarrow; ⟴ rightarrowonoplus; ⇽ leftarrowtriangle; ⇾ rightarrowtriangle; ⇿ leftrightarrowtriangle;
        ⥊ leftrightharpoonupdown; ⥋ leftrightharpoondownup; ⥎ leftrightharpoonupup leftrightharpoonup; ⥐
        leftrightharpoondowndown leftrightharpoondown; ⥰ rightimply; ⤙ leftarrowtailstroke; ⇞ nHuparrow; ⇟ nHdownarrow
    """),
    ("logic", "O", """
        ⇒ Rightarrow Longrightarrow implies ⟹; ⇐ Leftarrow Longleftarrow impliedby ⟸; ⇔ Leftrightarrow
        Longleftrightarrow iff ⟺; ⇏ nRightarrow; ⇍ nLeftarrow; ⇎ nLeftrightarrow; ∧ land wedge; ∨ lor vee; ¬ lnot neg
        textlnot; ∀ forall; ∃ exists exist; ∄ nexists; ⊢ vdash; ⟝ longdashv; ⊣ dashv; ⊨ models vDash ⊧; ⫤ Dashv; ⊩
        Vdash; ⊪ Vvdash; ⊫ VDash; ⊬ nvdash; ⊭ nvDash; ⊮ nVdash; ⊯ nVDash; ⊻ veebar; ⊼ barwedge; ⩞ doublebarwedge; ⊽
        barvee; ∴ therefore; ∵ because; ⋏ curlywedge varcurlywedge; ⋎ curlyvee varcurlyvee; ⩑ dottedwedge; ⩒ veedot; ⩓
        Wedge; ⩔ Vee; ⟇ veeonvee
    """),
    ("relation", "O", """
        ∣ mid shortmid divides; ∤ nmid nshortmid ndivides; ∦ nparallel nshortparallel; ⫽ sslash; ⌣ smile smallsmile; ⌢
        frown smallfrown; ⋈ bowtie Join Bowtie; ◁ triangleleft ◃; ▷ triangleright ▹; ≬ between; ⋔ pitchfork; ⪡ Lt; ⪢
        Gt; ∶ ratio; ∷ Colon dblcolon coloncolon; ∹ eqcolonminus dashcolon; ⊷ imageof; ⊶ origof; ⫫ Vbar indep Indep; ⫪
        barV; ⫮ revnmid; ∟ rightangle; ⟛ dashVdash; ⧣ eparsl; ⧤ smeparsl; ⫴ interleave; ⪦ leftslice; ⪧ rightslice
    """),
    ("additive", "O", """
        + plus; - minus − – ‐ ‑ ﹣ textminus textendash; ± pm plusmn textpm; ∓ mp; ∔ dotplus; ∸ dotminus; ⊕ oplus
        varoplus; ⊖ ominus varominus; ⊝ circleddash; ⊜ circledequal; ⊎ uplus; ⊞ boxplus; ⊟ boxminus; ⧺ doubleplus; ⨥
        plusdot; ⨢ ringplus; ⨣ plushat; ⨦ plussim; ⨭ opluslhrim; ⨮ oplusrhrim; ⨪ minusdot
    """),
    ("multiplicative", "O", """
        ⋅ cdot centerdot · ‧ sdot cdotp textperiodcentered; × times vartimes texttimes; * ast ∗ ⁎ ＊ asterisk
        textasteriskcentered textborn;
        ∘ circ ○ vysmwhtcircle; • bullet ∙ textbullet smblkcircle; ⋆ star; ⊗ otimes varotimes; ⊙
        odot varodot; ⊛ circledast varoast; ⊚ circledcirc varocircle; ⊠ boxtimes; ⊡ boxdot; ⧆ boxast; ⧇ boxcircle; ⧈
        boxbox; ⧄ boxslash boxdiag; ⧅ boxbslash; ◫ boxbar boxvert; ⋄ diamond ⬦ smwhtdiamond; ⋊ rtimes; ⋉ ltimes; ⋋
        leftthreetimes; ⋌ rightthreetimes; ≀ wr wreath; ⨿ amalg; ⋇ divideontimes; ⊘ oslash varoslash; ⦸ obslash
        varobslash; ⌽ obar baro varobar; ⧀ olessthan varolessthan; ⧁ ogreaterthan varogreaterthan; ⨟ fatsemi fcmp; ⅋
        parr bindnasrepma upand; ⟑ wedgedot; ⨯ vectimes; ⨰ dottimes; ⨶ otimeshat; ⨷ Otimes; ⩀ capdot; ⟕ leftouterjoin;
        ⟖ rightouterjoin; ⟗ fullouterjoin; ⧢ shuffle; ⟐ diamondcdot; ⟡ concavediamond; ⨼ intprod; ⨽ intprodr; ⌅
        varbarwedge; ⌆ vardoublebarwedge; ⩕ wedgeonwedge; ⫯ cirmid; ⨴ otimeslhrim; ⨵ otimesrhrim
    """),
    ("division", "O", "/ slash ∕ ⁄ divslash textfractionsolidus; ÷ div textdiv; mod bmod"),
    ("set-operator", "O", """
        ∩ cap; ∪ cup; ∖ setminus smallsetminus backslash \\ ⧵ reversesolidus textbackslash; △ triangle bigtriangleup
        vartriangle ▵; ⊔ sqcup; ⊓ sqcap; ∁ complement; ⋒ Cap doublecap; ⋓ Cup doublecup; ⊌ cupleftarrow; ⊍ cupdot; ⩏
        Sqcup; ⩎ Sqcap; ⩂ uplusbar
    """),
    ("big-operator", "O", """
        ∑ sum; ∏ prod; ∐ coprod; ⋃ bigcup; ⋂ bigcap; ⋁ bigvee; ⋀ bigwedge; ⨁ bigoplus; ⨂ bigotimes; ⨀ bigodot; ⨄
        biguplus; ⨃ bigcupdot; ⨆ bigsqcup; ⨅ bigsqcap; ⨉ bigtimes; ⫿ bigtalloblong; ⫼ bigparallel biginterleave; ⨋
        sumint
    """),
    ("integral", "O", """
        ∫ int intop smallint varint; ∬ iint; ∭ iiint; ⨌ iiiint; ∮ oint ointop varoint; ∯ oiint varoiint; ∰ oiiint; ∱
        intclockwise; ∲ varointclockwise; ∳ ointctrclockwise ointclockwise; ⨍ fint intbar; ⨏ fintop; ⨎ intBar; ⨑
        awint; ⨕ pointint; ⨖ sqint; ⨗ intlarhk
    """),
    ("open", "O", """
        ( lparen （; [ lbrack lbracket; { lbrace; ⟨ langle 〈 textlangle; ⟪ llangle lAngle 《; ⌊ lfloor; ⌈ lceil; ⟦
        llbracket lBrack textlbrackdbl; ⦃ lBrace; ⦅ lParen; ⦇ llparenthesis limg; ⦉ lblot; ⟅ lbag Lbag; ⟬ Lbrbrak; ⟮
        lgroup; ⎰ lmoustache; ⁅ textlquill; ⌜ ulcorner; ⌞ llcorner
    """),
    ("close", "O", """
        ) rparen ）; ] rbrack rbracket; } rbrace; ⟩ rangle 〉 textrangle; ⟫ rrangle rAngle 》; ⌋ rfloor; ⌉ rceil; ⟧
        rrbracket rBrack textrbrackdbl; ⦄ rBrace; ⦆ rParen; ⦈ rrparenthesis rimg; ⦊ rblot; ⟆ rbag Rbag; ⟭ Rbrbrak; ⟯
        rgroup; ⎱ rmoustache; ⁆ textrquill; ⌝ urcorner; ⌟ lrcorner
    """),
    ("bar", "O", """
        | vert lvert rvert ｜ arrowvert ⏐ bracevert ⎪ textbar; ∥ Vert lVert rVert parallel shortparallel ‖ Arrowvert
        textbardbl; ⦀ Vvert lVvert rVvert
    """),
    ("separator", "O", ", ， 、; ; semicolon ；; : colon ： vcentcolon; . ． ldotp;"),
    ("dots", "O", """
        … ldots dots dotsb dotsc dotsm dotsi dotso cdots mathellipsis hdots ⋯ textellipsis unicodecdots
        unicodeellipsis; ⋮ vdots; ⋱ ddots; ⋰ iddots adots
    """),
    ("prime", "O", "′ prime; ‵ backprime"),
    ("symbol", "O", """
        ! ！ exclam; ? ？; ¡ textexclamdown; ¿ textquestiondown; ∂ partial part; ∇ nabla; ∠ angle; ∡ measuredangle; ∢
        sphericalangle; □ square Box ◻ mdlgwhtsquare mdwhtsquare boxempty; ■ blacksquare qedsymbol ∎ qed ◼
        mdlgblksquare QED; ▲ blacktriangle ▴ bigblacktriangleup; ▼ blacktriangledown ▾ bigblacktriangledown; ▽
        bigtriangledown triangledown ▿; ◀ blacktriangleleft ◂; ▶ blacktriangleright ▸; ◊ lozenge Diamond ◇
        mdlgwhtlozenge; ⧫ blacklozenge mdlgblklozenge; ◆ mdlgblkdiamond blackdiamond; ♣ clubsuit clubs; ♢ diamondsuit
        diamonds; ♡ heartsuit hearts; ♠ spadesuit spades; ♦ vardiamondsuit vardiamond; ♥ varheartsuit varheart; ♤
        varspadesuit; ♧ varclubsuit; ★ bigstar; ☆ bigwhitestar; ♮ natural; ♯ sharp; ♭ flat; ♩ quarternote; ♪
        eighthnote textmusicalnote; ✓ checkmark; ✗ ballotx xmark; † dagger dag textdagger textdied; ‡ ddagger ddag
        textdaggerdbl; § S textsection lx@sectionsign; ¶ P textparagraph lx@paragraphsign; © copyright textcopyright;
        £ pounds mathsterling textsterling sterling; ¥ yen textyen; € euro texteuro eurologo; ¢ cent textcent
        textcentoldstyle; ¤ textcurrency; ƒ textflorin; ₩ textwon; ₦ textnaira; ₫ textdong; ₱ textpeso; ฿ textbaht; ₡
        textcolonmonetary; ₤ textlira; ° degree textdegree; ℃ celsius textcelsius; ℉ fahrenheit; % percent; ‰
        perthousand permil textperthousand; ‱ textpertenthousand; & amp And ampersand binampersand; # ; $ dollar
        mathdollar textdollar textdollaroldstyle; @ atsign; _ lodash textunderscore mathunderscore; ` ; ' ; " ; ~ ; ℧
        mho textmho; ◯ bigcirc textbigcircle varbigcirc lgwhtcircle ocircle; ⦿ circledbullet; ● mdlgblkcircle newmoon;
        ✠ maltese; ® circledR textregistered; Ⓢ circledS; ™ texttrademark trademark; ℠ textservicemark; ℗
        textcircledP; ℞ textrecipe; № textnumero; ℮ textestimated; ※ textreferencemark; ¦ textbrokenbar; ª
        textordfeminine; º textordmasculine; « guillemotleft guillemetleft; » guillemotright guillemetright; ╱ diagup;
        ╲ diagdown; ♂ male Mars; ♀ female Venus; ☉ astrosun; ☾ leftmoon; ☽ rightmoon; ⌇ wasylozenge; ☺ smiley; ☹
        frownie; ⊺ intercal; ℩ turnediota; ⧧ thermod; ⧦ gleichstark; ⫝ forksnot; ⌶ topbot; ⸘ textinterrobangdown; ‽
        textinterrobang; ␢ textblank; ␣ textvisiblespace visiblespace mathvisiblespace; ⟃ subsetcirc; ⟄ supsetcirc; ⧊
        triangleodot; “ textquotedblleft; ” textquotedblright; ‘ textquoteleft; — textemdash; ◦
        textopenbullet; ⁒ textdiscount; ⚭ textmarried; ⚮ textdivorced; ₲ textguarani; 🄯 textcopyleft
    """),
    ("open", "O", """
        ( empheqlparen empheqbiglparen; [ empheqlbrack empheqbiglbrack; { empheqlbrace empheqbiglbrace; ⟨ empheqlangle
        empheqbiglangle; ⌊ empheqlfloor empheqbiglfloor; ⌈ empheqlceil empheqbiglceil
    """),
    ("close", "O", """
        ) empheqrparen empheqbigrparen; ] empheqrbrack empheqbigrbrack; } empheqrbrace empheqbigrbrace; ⟩ empheqrangle
        empheqbigrangle; ⌋ empheqrfloor empheqbigrfloor; ⌉ empheqrceil empheqbigrceil
    """),
    ("bar", "O", """
        | empheqlvert empheqrvert empheqbiglvert empheqbigrvert; ∥ empheqlVert empheqrVert empheqbiglVert
        empheqbigrVert
    """),
    ("zero", "N", "0 textzerooldstyle"),
    ("one", "N", "1 textoneoldstyle"),
    ("number", "N", """
        2 texttwooldstyle; 3 textthreeoldstyle; 4 textfouroldstyle; 5 textfiveoldstyle; 6 textsixoldstyle; 7
        textsevenoldstyle; 8 texteightoldstyle; 9 textnineoldstyle
    """),
    ("accent", "O", """
        ^ ; ¯ textasciimacron; ˙; ¨ textasciidieresis; ˇ textasciicaron; ˘ textasciibreve; ´ textasciiacute; ⃛; ⃜; ⏞; ⏟;
        ⎴; ⎵; ⏜; ⏝; ˚
    """),
)
"""Every symbol that is known by name. Long arrows, slanted relations and the like are folded into one label each."""
