"""A method of feedback costs a module and a line: its parameters are settings, and queries learn by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from porism.errors import ConfigError
from porism.retrieve import Feedback
from porism.retrieve.documents.named_models import SEARCH_MODELS
from porism.retrieve.feedback import settings
from porism.retrieve.feedback.base import Examples, FeedbackMethod, TermWeights
from porism.retrieve.feedback.methods import Rocchio
from porism.retrieve.feedback.settings import FEEDBACK_METHODS
from porism.retrieve.feedback.term_numbers import TermNumbers
from porism.search.index import open_index
from porism.search.models.models import model_from, write_model
from porism.settings import SettingError


@dataclass(frozen=True, slots=True)
class FirstTerm(FeedbackMethod):
    """The term that most documents have joins the query with the weight ``gain``."""

    gain: float = 3.0

    name = "first-term"
    label = "first-term feedback"
    learns_from_judgments = "relevant"

    @property
    def active(self) -> bool:
        """Whether the term has a weight."""
        return self.gain > 0

    def learn(
        self, query: Mapping[str, float], examples: Examples, channel: TermNumbers, weights: TermWeights, most: int
    ) -> dict[str, float]:
        """The query and the term."""
        numbers, counts = np.unique(examples.relevant.terms, return_counts=True)
        [name] = channel.names(numbers[[np.argmax(counts)]])
        return {**query, name: query.get(name, 0.0) + self.gain}


@pytest.fixture(autouse=True)
def first_term(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line of the registry that a new method costs."""
    more = MappingProxyType({**FEEDBACK_METHODS, FirstTerm.name: FirstTerm})
    monkeypatch.setattr(settings, "FEEDBACK_METHODS", more)


def test_each_has_its_name_and_is_off_where_it_says_so() -> None:
    assert all(method.name == name and method().active for name, method in FEEDBACK_METHODS.items())
    assert not Feedback(method="first-term", parameters={"gain": 0.0}).active


def test_queries_learn_by_a_new_method(sample_index: Path) -> None:
    model = model_from({"model": "words", "feedback": {"method": "first-term", "parameters": {"gain": 2.5}}})
    assert model_from(write_model(model)) == model
    with open_index(sample_index, model) as index:
        [query] = [index.question("harmonic series").query]
        expander = index.term_retriever.expander
        terms = index.term_retriever.query_terms(query)
        learnt = expander.expand(terms)
    gained = {
        term: weight - terms["words"].get(term, 0.0) for term, weight in learnt["words"].items()
        if weight != terms["words"].get(term)
    }
    assert list(gained.values()) == [2.5]


def test_a_method_says_what_it_learns_from_judgments() -> None:
    assert Feedback(beta=0.5).judged_learner == Rocchio(beta=0.5)
    assert Feedback(method="first-term").judged_learner == FirstTerm()
    assert Feedback(method="rm3").judged_learner == FEEDBACK_METHODS["rm3"]()


@pytest.mark.parametrize(("given", "path", "message"), [
    ({"method": "first-trem"}, ("feedback",), "there is no feedback by 'first-trem'. Did you mean first-term?"),
    ({"method": "first-term", "parameters": {"gian": 1.0}}, ("feedback", "parameters", "gian"),
     "Did you mean parameters.gain?"),
    ({"parameters": {"gain": 1.0}}, ("feedback", "parameters", "gain"), "there is no setting 'parameters.gain'"),
])
def test_errors_know_which_setting_is_wrong(given: dict[str, object], path: tuple[str, ...], message: str) -> None:
    with pytest.raises(SettingError) as caught:
        model_from({"feedback": given})
    assert caught.value.path == path
    assert message in str(caught.value)


def test_errors_of_a_method_are_those_of_its_settings() -> None:
    with pytest.raises(ConfigError, match="cannot take 20 documents and 5 that are not relevant from the first 24"):
        Feedback(method="rocchio", documents=20, non_relevant=5, depth=24)
    assert SEARCH_MODELS["default"].feedback.parameters is None
