"""The regression models of RBC, by scikit-learn."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.extras import need
from porism.settings import nearest

LINEAR = ("linear", "ridge", "bayesian-ridge", "sgd", "pls")
"""Models that predict a weighted sum of the features, whose weights can be stored and given to WIBC."""

MODELS = (*LINEAR, "svr", "knn", "mlp")
"""All models: those of MIRMU at ARQMath 2021, section 4.4."""

SVR_EXAMPLES = 5_000
"""How many examples the SVR learns from at most, drawn by the seed: its time grows with their square."""

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
    if model in ("linear", "ridge", "bayesian-ridge", "sgd"):
        linear_models = need("sklearn.linear_model", "lab", purpose)
        names = {
            "linear": "LinearRegression", "ridge": "Ridge", "bayesian-ridge": "BayesianRidge", "sgd": "SGDRegressor",
        }
        kind: Callable[..., Any] = getattr(linear_models, names[model])
    elif model == "pls":
        kind = need("sklearn.cross_decomposition", "lab", purpose).PLSRegression
    elif model == "svr":
        kind = need("sklearn.svm", "lab", purpose).SVR
    elif model == "knn":
        kind = need("sklearn.neighbors", "lab", purpose).KNeighborsRegressor
    elif model == "mlp":
        kind = need("sklearn.neural_network", "lab", purpose).MLPRegressor
    else:
        raise ConfigError(f"there is no regression model {model!r}", hint=nearest(model, ("auto", *MODELS)))
    known = inspect.signature(kind).parameters
    for option in options:
        if option not in known:
            raise ConfigError(f"the model {model} has no option {option!r}", hint=nearest(option, known))
    chosen: dict[str, Any] = dict(options)
    if "random_state" in known:
        chosen.setdefault("random_state", seed)
    if model == "pls":
        chosen.setdefault("n_components", min(2, rows, columns))
    if model == "knn":
        chosen.setdefault("n_neighbors", min(5, rows))
    if model in ("sgd", "svr", "knn", "mlp"):
        pipeline = need("sklearn.pipeline", "lab", purpose)
        scaler = need("sklearn.preprocessing", "lab", purpose).StandardScaler()
        return pipeline.make_pipeline(scaler, kind(**chosen))
    return kind(**chosen)


def fit_estimator(
    model: str, options: Mapping[str, Any], seed: int, features: Numbers, gains: Numbers
) -> Any:
    """An estimator that predicts ``gains`` [rows] from ``features`` [rows, columns].

    :raises ConfigError: an option has a value that scikit-learn does not take.
    """
    if model == "svr" and len(gains) > SVR_EXAMPLES:
        drawn = np.random.default_rng(seed).choice(len(gains), SVR_EXAMPLES, replace=False)
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
