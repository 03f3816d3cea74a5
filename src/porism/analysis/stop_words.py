"""Words that carry no meaning of their own; dropped from the words channel by default."""

ENGLISH: frozenset[str] = frozenset(
    """
    a an the this that these those such same other another each every all any both either neither none some few many
    much more most less least several own
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves one ones who whom whose which what
    am is are was were be been being do does did doing done have has had having will would shall should can could may
    might must ought let lets
    and or but nor so yet if then else because as while though although whether unless until since than
    of in on at by to from for with without within into onto upon over under between among through during before after
    above below against about across along around off out up down per via
    not no yes too very just only also even still already ever never again further once here there where when why how
    however thus hence therefore etc ie eg s t d ll m re ve don didn doesn isn aren wasn weren won wouldn shouldn couldn
    """.split()
)

STOP_WORDS: dict[str, frozenset[str]] = {"none": frozenset(), "english": ENGLISH}
"""Lists by name, as an analysis configuration names them."""
