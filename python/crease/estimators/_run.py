# SPDX-License-Identifier: MIT
"""Regressions and sparse components as estimators need them: without the sentences for people.

`crease.regress` and `crease.spca` warn in the words of their own arguments where nothing is
found; estimators do in theirs. Cross-validation over splits of the caller's is the library's where
each row is left out once at most and fitted otherwise; any other is here, by the same definitions: a
fold's score is the mean deviance of its rows under the path that was fitted without them, and the
folds count by their rows.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from .._errors import CutError
from ..arrays import Floats
from ..result import CrossValidation, Path, SPCAResult
from ..verbs import Command

Indices = npt.NDArray[np.intp]


def regress(X: Floats, y: Floats, options: Dict[str, Any]) -> Path:
    """The path of `crease.regress` with these options."""
    command = Command("regress")
    command.data(X, "X", "X", (2,))
    command.data(y, "y", "y", (1,))
    command.options(options)
    return command.run(Path)


def spca(data: Floats, options: Dict[str, Any]) -> SPCAResult:
    """The components of `crease.spca` with these options."""
    command = Command("spca")
    command.data(data, "data", "data", (2,))
    command.options(options)
    return command.run(SPCAResult)


def cross_validation(path: Path) -> CrossValidation:
    """That of a path that was fitted with `cv`."""
    if path.cv is None:
        raise CutError(
            "max_seconds was over before the folds were fitted; give more seconds or fewer folds"
        )
    return path.cv


def folds_of(splits: Sequence[Tuple[Indices, Indices]], rows: int) -> Optional[Floats]:
    """The number of the split that leaves a row out, -1 where none does; None where a row is left
    out twice, or a split does not fit just those rows that it does not leave out."""
    folds = np.full(rows, -1.0)
    every = np.arange(rows)
    for k, (kept, out) in enumerate(splits):
        used = np.bincount(np.concatenate([every[kept], every[out]]), minlength=rows)
        left = folds[out]
        if left.size == 0 or bool(np.any(used != 1)) or bool(np.any(left >= 0)):
            return None
        folds[out] = k
    return folds if len(splits) > 0 else None


def _deviances(path: Path, y: Floats, scores: Floats) -> Floats:
    """Twice the loss of every prediction, a column per lambda."""
    loss, scale = path.settings["loss"], path.settings["loss_scale"]
    target = y[:, np.newaxis]
    if loss == "logistic":
        return np.asarray(2 * np.logaddexp(0, np.where(target == 1, -scores, scores)))
    u = np.abs(scores - target) / scale
    if loss == "huber":
        value = np.where(u <= 1, u**2 / 2, u - 0.5)
    elif loss == "cauchy":
        value = np.log1p(u**2) / 2
    else:
        value = u**2 / 2
    return np.asarray(2 * scale**2 * value)


def cross_validate(
    path: Path,
    X: Floats,
    y: Floats,
    weights: Optional[Floats],
    splits: Iterable[Tuple[Indices, Indices]],
    options: Dict[str, Any],
) -> CrossValidation:
    """That of a path over splits of the rows into those fitted and those left out."""
    own = {name: value for name, value in options.items() if name != "path"}
    own["lambda_"] = path.lambdas
    if path.settings["loss"] in ("huber", "cauchy"):  # the scale of all rows
        own["loss"] = f"{path.settings['loss']}:{path.settings['loss_scale']!r}"
    means, sizes = [], []
    for kept, out in splits:
        if weights is not None:
            own["row_weights"] = weights[kept]
        fold = regress(X[kept], y[kept], own)
        if fold.lambdas.size < path.lambdas.size:
            raise CutError("max_seconds was over before a fold was fitted; give more seconds")
        rows = np.ones(len(out)) if weights is None else weights[out]
        predicted = X[out] @ fold.coefficients.T + fold.intercepts
        means.append(rows @ _deviances(path, y[out], predicted) / rows.sum())
        sizes.append(rows.sum())
    return _summary(np.array(means), np.array(sizes) / np.sum(sizes))


def _summary(means: Floats, shares: Floats) -> CrossValidation:
    mean = shares @ means
    error = np.sqrt(shares @ (means - mean) ** 2 / max(len(means) - 1, 1))
    best = int(np.argmin(mean))
    return CrossValidation(mean, error, best, int(np.argmax(mean <= mean[best] + error[best])))
