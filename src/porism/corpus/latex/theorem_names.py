"""What authors of several languages call the environments of theorems and proofs where no declaration is available."""

from __future__ import annotations

import unicodedata

_NAMES = (
    "théorème lemme corollaire définition exemple contre-exemple remarque exercice problème propriété axiome "  # French
    "hypothèse notation rappel application affirmation conjecture énoncé scolie "
    "satz lemma hilfssatz korollar folgerung hauptsatz beispiel gegenbeispiel bemerkung anmerkung "  # German
    "aufgabe übung behauptung eigenschaft voraussetzung vermutung axiom bezeichnung "
    "teorema lema proposición corolario definición ejemplo observación comentario ejercicio problema "  # Spanish
    "propiedad hipótesis afirmación conjetura "
    "proposizione corollario definizione esempio osservazione esercizio proprietà congettura ipotesi "  # Italian
    "proposição corolário definição exemplo observação exercício propriedade "  # Portuguese
    "stelling gevolg definitie voorbeeld opmerking opgave eigenschap "  # Dutch
    "sats följdsats exempel anmärkning övning "  # Swedish
    "twierdzenie lemat wniosek definicja przykład uwaga zadanie "  # Polish
    "věta důsledek příklad poznámka cvičení "  # Czech
    "теорема лемма следствие определение пример замечание упражнение задача предложение утверждение"  # Russian
).split()

NATIVE_THEOREMS: dict[str, str] = {}
"""Name of an environment, with its accents or without → what stands at its head, in small letters."""
for _name in _NAMES:
    NATIVE_THEOREMS[_name] = _name
    _plain = "".join(char for char in unicodedata.normalize("NFD", _name) if not unicodedata.combining(char))
    NATIVE_THEOREMS.setdefault(_plain if _plain.isascii() else _name, _name)
NATIVE_THEOREMS |= {"uebung": "übung", "oevning": "övning", "teorema": "teorema"}

NATIVE_PROOFS = frozenset(
    "preuve démonstration demo beweis bew lösung loesung dimostrazione demostración demostracion prueba "
    "demonstração demonstracao bewijs bevis dowód dowod důkaz dukaz доказательство correction corrigé corrige "
    "indication indications soluzione solución solucion solução solucao".split()
)

NATIVE_UNPROVABLE = frozenset(
    "définition remarque axiome notation hypothèse rappel bemerkung anmerkung voraussetzung bezeichnung axiom "
    "definición observación comentario hipótesis definizione osservazione ipotesi definição observação definitie "
    "opmerking anmärkning definicja uwaga poznámka определение замечание".split()
)
"""What is not proved: a proof after it belongs to something before it."""
