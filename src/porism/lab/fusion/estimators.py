"""The regression models of RBC, by scikit-learn."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.extras import need
from porism.settings import nearest


@dataclass(frozen=True, slots=True)
class Estimator:
    """A class of scikit-learn, by its module and name.

    ``linear`` says whether it predicts a weighted sum of the features, ``scaled`` whether the scale of features matters
    to it, so that they are standardised first. ``defaults`` are the options that it needs beside scikit-learn's own
    defaults, by the numbers of examples and features. It learns from at most ``examples``, drawn by the seed.
    """

    module: str
    name: str
    linear: bool = False
    scaled: bool = False
    defaults: Callable[[int, int], Mapping[str, Any]] = lambda rows, columns: {}
    examples: int | None = None


SVR_EXAMPLES = 5_000
"""How many examples the SVR learns from at most: its time grows with their square."""

ESTIMATORS: Mapping[str, Estimator] = MappingProxyType({
    "linear": Estimator("sklearn.linear_model", "LinearRegression", linear=True),
    "ridge": Estimator("sklearn.linear_model", "Ridge", linear=True),
    "bayesian-ridge": Estimator("sklearn.linear_model", "BayesianRidge", linear=True),
    "sgd": Estimator("sklearn.linear_model", "SGDRegressor", linear=True, scaled=True),
    "pls": Estimator(
        "sklearn.cross_decomposition", "PLSRegression", linear=True,
        defaults=lambda rows, columns: {"n_components": min(2, rows, columns)},
    ),
    "svr": Estimator("sklearn.svm", "SVR", scaled=True, examples=SVR_EXAMPLES),
    "knn": Estimator(
        "sklearn.neighbors", "KNeighborsRegressor", scaled=True,
        defaults=lambda rows, columns: {"n_neighbors": min(5, rows)},
    ),
    "mlp": Estimator("sklearn.neural_network", "MLPRegressor", scaled=True),
})
"""All models by name: those of MIRMU at ARQMath 2021, section 4.4."""

MODELS = tuple(ESTIMATORS)
"""Their names."""

LINEAR = tuple(name for name, estimator in ESTIMATORS.items() if estimator.linear)
"""Models that predict a weighted sum of the features, whose weights can be stored and given to WIBC."""

Numbers = NDArray[np.float64]


def make_estimator(model: str, options: Mapping[str, Any], seed: int, rows: int, columns: int) -> Any:
    """An estimator of scikit-learn, not fitted yet, for ``rows`` examples of ``columns`` features.

    Parameters are scikit-learn's own defaults where ``options`` has none, but for PLS (one component for one run) and
    k-NN (no more neighbours than examples), which could not be fitted otherwise. Where the scale of features matters
    (SGD, SVR, k-NN, MLP) they are standardised first.

    :raises MissingExtra: scikit-learn is not installed.
    :raises ConfigError: there is no such model, or it has no such option.
    """
    purpose = "regression (RBC)"
    if model not in ESTIMATORS:
        raise ConfigError(f"there is no regression model {model!r}", hint=nearest(model, ("auto", *MODELS)))
    estimator = ESTIMATORS[model]
    kind: Callable[..., Any] = getattr(need(estimator.module, "lab", purpose), estimator.name)
    known = inspect.signature(kind).parameters
    for option in options:
        if option not in known:
            raise ConfigError(f"the model {model} has no option {option!r}", hint=nearest(option, known))
    chosen: dict[str, Any] = dict(options)
    if "random_state" in known:
        chosen.setdefault("random_state", seed)
    chosen = dict(estimator.defaults(rows, columns)) | chosen
    if estimator.scaled:
        pipeline = need("sklearn.pipeline", "lab", purpose)
        scaler = need("sklearn.preprocessing", "lab", purpose).StandardScaler()
        return pipeline.make_pipeline(scaler, kind(**chosen))
    return kind(**chosen)


def fit_estimator(model: str, options: Mapping[str, Any], seed: int, features: Numbers, gains: Numbers) -> Any:
    """An estimator that predicts ``gains`` [rows] from ``features`` [rows, columns].

    :raises ConfigError: an option has a value that scikit-learn does not take.
    """
    most = ESTIMATORS[model].examples if model in ESTIMATORS else None
    if most is not None and len(gains) > most:
        drawn = np.random.default_rng(seed).choice(len(gains), most, replace=False)
        features, gains = features[drawn], gains[drawn]
    estimator = make_estimator(model, options, seed, *features.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a model that has not converged is judged by its rankings, as all are
        try:
            return estimator.fit(features, gains)
        except (ValueError, TypeError, ArithmeticError, np.linalg.LinAlgError) as error:
            reason = " ".join(str(error).split())
            raise ConfigError(f"the model {model} cannot be fitted ({reason})") from error


def predict(estimator: Any, features: Numbers) -> Numbers:
    """The predicted gains [rows], rounded to nine digits: equal features have equal predictions, however computed."""
    if not len(features):
        return np.empty(0, np.float64)
    predicted: Numbers = np.round(np.asarray(estimator.predict(features), np.float64).reshape(len(features)), 9)
    return predicted


def linear_part(estimator: Any, columns: int) -> tuple[tuple[float, ...], float]:
    """Coefficients and intercept of an estimator that predicts a weighted sum, scaled features or not."""
    points = np.vstack([np.zeros(columns), np.eye(columns)])
    values = np.asarray(estimator.predict(points), np.float64).reshape(columns + 1)
    return tuple((values[1:] - values[0]).tolist()), float(values[0])
