# SPDX-License-Identifier: MIT
"""Estimators: scikit-learn's own checks, counted, and what their models promise by definition."""

from __future__ import annotations

import pickle
import warnings
from collections import Counter
from typing import Any, Dict, Tuple
from unittest import SkipTest

import numpy as np
import pytest

pytest.importorskip("sklearn")

import joblib  # type: ignore
import sklearn  # type: ignore
from sklearn.base import clone  # type: ignore
from sklearn.decomposition import PCA  # type: ignore
from sklearn.exceptions import ConvergenceWarning  # type: ignore
from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression  # type: ignore
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, LeaveOneOut  # type: ignore
from sklearn.model_selection import PredefinedSplit, RepeatedKFold, ShuffleSplit, TimeSeriesSplit
from sklearn.multiclass import OneVsRestClassifier  # type: ignore
from sklearn.pipeline import make_pipeline  # type: ignore
from sklearn.preprocessing import StandardScaler  # type: ignore
from sklearn.utils.class_weight import compute_sample_weight  # type: ignore
from sklearn.utils.estimator_checks import parametrize_with_checks  # type: ignore
from sklearn.utils.validation import has_fit_parameter  # type: ignore

import crease
from crease.estimators import (
    NotCertifiedWarning,
    RobustPCA,
    SparseClassifier,
    SparseClassifierCV,
    SparsePCA,
    SparseRegressor,
    SparseRegressorCV,
)
from crease.estimators._run import cross_validate, folds_of

VERSION: Tuple[int, ...] = tuple(int(n) for n in sklearn.__version__.split(".")[:2])

# scikit-learn's checks

ESTIMATORS = {
    "regressor": SparseRegressor(),
    "regressor-mcp": SparseRegressor(penalty="mcp"),
    "classifier": SparseClassifier(),
    "regressor-cv": SparseRegressorCV(alphas=20, cv=3),
    "classifier-cv": SparseClassifierCV(alphas=20, cv=3),
    "robust-pca": RobustPCA(),
    "robust-pca-nan": RobustPCA(missing="nan"),
    "sparse-pca": SparsePCA(n_components=2),
}

# How many checks each of them has; a version that is not listed has at least those of the oldest.
CHECKS: Dict[Tuple[int, ...], Dict[str, int]] = {
    (1, 2): {
        "regressor": 47,
        "regressor-mcp": 47,
        "classifier": 51,
        "regressor-cv": 47,
        "classifier-cv": 51,
        "robust-pca": 34,
        "robust-pca-nan": 33,
        "sparse-pca": 34,
    },
    (1, 9): {
        "regressor": 60,
        "regressor-mcp": 60,
        "classifier": 64,
        "regressor-cv": 60,
        "classifier-cv": 64,
        "robust-pca": 47,
        "robust-pca-nan": 46,
        "sparse-pca": 47,
    },
}
CHECKS[(1, 6)] = {  # one less for what predicts
    name: count - (count > 50) for name, count in CHECKS[(1, 9)].items()
}

ran: "Counter[str]" = Counter()


def name_of(estimator: Any) -> str:
    return next(k for k, e in ESTIMATORS.items() if repr(e) == repr(estimator))


@pytest.mark.filterwarnings("ignore:nothing selected")
@parametrize_with_checks(list(ESTIMATORS.values()))  # type: ignore
def test_scikit_learn(estimator: Any, check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it a check is skipped
    name = name_of(estimator)
    try:
        check(estimator)
    except SkipTest as reason:
        pytest.fail(f"a check was skipped: {reason}")
    ran[name] += 1


def test_all_checks_ran() -> None:
    expected = CHECKS.get(VERSION)
    if expected is not None:
        assert dict(ran) == expected
    else:
        assert all(ran[name] >= count for name, count in CHECKS[(1, 2)].items())


# data


def design(rows: int, columns: int, seed: int) -> Tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) * rng.uniform(0.5, 3, columns) + rng.normal(size=columns)
    truth = np.zeros(columns)
    truth[:4] = [2, -1.5, 1, 0.7]
    return X, X @ truth + 3 + 0.5 * rng.normal(size=rows)


def labels(rows: int, columns: int, seed: int) -> Tuple[Any, Any]:
    X, y = design(rows, columns, seed)
    noise = np.random.default_rng(seed + 1).logistic(size=rows)
    return X, (y - np.median(y) + noise > 0).astype(int)


def squared(X: Any, y: Any, coef: Any, intercept: float) -> Any:
    return np.mean((y - X @ coef - intercept) ** 2) / 2


def logistic(X: Any, y: Any, coef: Any, intercept: float) -> Any:
    return np.mean(np.logaddexp(0, -(2 * y - 1) * (X @ coef + intercept)))


# regression at a lambda


@pytest.mark.parametrize("shape", [(60, 12), (30, 50)])
@pytest.mark.parametrize("intercept", [True, False])
def test_l1_is_the_lasso(shape: Tuple[int, int], intercept: bool) -> None:
    X, y = design(*shape, seed=1)
    alpha = 0.2
    ours = SparseRegressor(alpha, standardize=False, fit_intercept=intercept, tol=1e-10).fit(X, y)
    lasso = Lasso(alpha=alpha, fit_intercept=intercept, tol=1e-13, max_iter=1_000_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, lasso.coef_, atol=1e-6)
    assert ours.intercept_ == pytest.approx(lasso.intercept_, abs=1e-6)

    def objective(m: Any) -> Any:
        return squared(X, y, m.coef_, m.intercept_) + alpha * np.abs(m.coef_).sum()

    assert objective(ours) <= objective(lasso) * (1 + 1e-12)
    assert ours.result_.certificate.valid and ours.lambda_ == alpha


def test_standardized_l1_is_the_lasso_of_standardized_columns() -> None:
    X, y = design(60, 12, seed=2)
    scaler = StandardScaler().fit(X)
    lasso = Lasso(alpha=0.1, tol=1e-13, max_iter=100_000).fit(scaler.transform(X), y)
    ours = SparseRegressor(0.1, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(ours.coef_, lasso.coef_ / scaler.scale_, atol=1e-6)


def test_elastic_net() -> None:
    X, y = design(60, 12, seed=3)
    net = ElasticNet(alpha=0.3, l1_ratio=0.4, tol=1e-13, max_iter=100_000).fit(X, y)
    ours = SparseRegressor(0.3, penalty="elastic-net:0.4", standardize=False, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(ours.coef_, net.coef_, atol=1e-6)


def slope(penalty: str, t: Any, lam: float) -> Any:
    """rho'(t) of MCP with gamma = 3 and of SCAD with a = 3.7."""
    if penalty == "mcp":
        return np.maximum(lam - t / 3, 0)
    return np.where(t <= lam, lam, np.maximum(3.7 * lam - t, 0) / 2.7)


@pytest.mark.parametrize("penalty", ["mcp", "scad"])
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("shape", [(60, 12), (40, 60)])
def test_nonconvex_is_stationary(
    penalty: str, standardize: bool, shape: Tuple[int, int]
) -> None:
    X, y = design(*shape, seed=4)
    lam = 0.3
    m = SparseRegressor(lam, penalty=penalty, standardize=standardize).fit(X, y)
    scale = X.std(axis=0) if standardize else np.ones(X.shape[1])
    b = m.coef_ * scale
    gradient = X.T @ (X @ m.coef_ + m.intercept_ - y) / len(y) / scale
    active = b != 0
    force = slope(penalty, np.abs(b), lam) * np.sign(b)
    size = np.abs(X.T @ y).max() / len(y)
    assert 0 < active.sum() < X.shape[1]
    assert np.abs((gradient + force)[active]).max() <= 1e-5 * size
    assert np.abs(gradient[~active]).max() <= lam + 1e-5 * size
    assert abs(np.mean(y - m.predict(X))) <= 1e-9 * size


def test_groups_are_selected_together() -> None:
    X, y = design(60, 12, seed=5)
    groups = np.repeat([0, 1, 2, 3], 3)
    m = SparseRegressor(0.4, feature_groups=groups).fit(X, y)
    selected = (m.coef_ != 0).reshape(4, 3)
    assert set(selected.sum(axis=1)) == {0, 3}


def test_feature_of_weight_zero_is_always_selected() -> None:
    X, y = design(60, 12, seed=5)
    m = SparseRegressor(50.0, feature_weights=np.r_[np.ones(11), 0]).fit(X, y)
    assert np.flatnonzero(m.coef_).tolist() == [11]


@pytest.mark.parametrize("loss", ["huber", "cauchy"])
def test_robust_losses_resist_outliers(loss: str) -> None:
    X, y = design(100, 8, seed=6)
    spoilt = y.copy()
    spoilt[::10] += 100
    truth = np.r_[2, -1.5, 1, 0.7, np.zeros(4)]

    def error(m: Any) -> Any:
        return np.linalg.norm(m.fit(X, spoilt).coef_ - truth)

    robust = error(SparseRegressor(0.05, loss=loss, penalty="mcp"))
    assert robust < 0.3 * error(SparseRegressor(0.05, penalty="mcp"))


@pytest.mark.parametrize("make", [SparseRegressor, SparseClassifier])
def test_default_alpha_has_no_unit(make: Any) -> None:
    X, y = labels(80, 6, seed=7)
    m = make().fit(X, y)
    assert m.lambda_ == pytest.approx(m.lambda_max_ / 10)
    np.testing.assert_allclose(make().fit(1000 * X, y).coef_ * 1000, m.coef_, rtol=1e-5)


@pytest.mark.parametrize("make", [SparseRegressor, SparseClassifier])
def test_above_lambda_max_nothing_is_selected(make: Any) -> None:
    X, y = labels(80, 6, seed=7)
    lambda_max = make().fit(X, y).lambda_max_
    with pytest.warns(UserWarning, match=rf"nothing selected.*lambda_max is {lambda_max:.3g}") as w:
        m = make(lambda_max * 1.001).fit(X, y)
    assert not m.coef_.any() and w[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert make(lambda_max * 0.99).fit(X, y).coef_.any()


@pytest.mark.parametrize(
    "estimator, sentence",
    [
        (SparseRegressor(0), "alpha is 0; give a number above 0"),
        (SparseRegressor(float("nan")), "alpha is nan"),
        (SparseRegressor(True), "alpha is True"),
        (SparseRegressor(penalty="none"), "unknown regularizer 'none'"),
        (SparseRegressor(loss="logistic"), "loss is 'logistic'; give one of squared, huber"),
        (SparseRegressor(tol=0), "tol is 0; give a number between 0 and 1"),
        (SparseRegressor(max_iter=2.5), "max_iter is 2.5; give a whole number"),  # type: ignore
        (SparseRegressor(feature_groups=[1, 2]), "feature_groups has 2 labels, and X 5 features"),
        (SparseRegressor(feature_weights=[1]), "feature_weights has 1 numbers, and X 5 features"),
        (
            SparseRegressor(feature_groups=[1, 1, 2, 2, 2], feature_weights=np.ones(5)),
            "feature_weights has 5 numbers, and X 2 groups",
        ),
        (SparseRegressorCV(alphas=0), "alphas is 0; give a whole number from 1 to 100000"),
        (SparseRegressorCV(alphas=[1.0, 0.0]), "alphas has entries that are not above 0"),
        (SparseRegressorCV(alphas=[1.0], ratio=0.1), "ratio is of a number of alphas"),
        (SparseRegressorCV(ratio=1), "ratio is 1; give a number between 0 and 1"),
        (SparseRegressorCV(rule="two"), "rule is 'two'; give one of best, one_se"),
        (SparseRegressorCV(cv=1), "cv=1 is outside its range"),
        (SparseRegressorCV(random_state=-1), "random_state is -1; give a whole number from 0"),
        (RobustPCA(0), "n_components is 0; give a whole number from 1 to 5"),
        (RobustPCA(6), "n_components is 6; give a whole number from 1 to 5"),
        (RobustPCA(missing="zero"), "missing is 'zero'"),
        (SparsePCA(6), "n_components is 6; give a whole number from 1 to 5"),
        (SparsePCA(alpha=-1), "alpha=-1 is outside its range"),
    ],
)
def test_arguments_are_refused_by_name(estimator: Any, sentence: str) -> None:
    X, y = labels(20, 5, seed=0)
    with pytest.raises((crease.ArgumentError, crease.ShapeError), match=sentence):
        estimator.fit(X, y)


# classification


def logistic_regression(solver: str, alpha: float, rows: float, **options: Any) -> Any:
    l1: Dict[str, Any] = {"l1_ratio": 1.0} if VERSION >= (1, 8) else {"penalty": "l1"}
    return LogisticRegression(
        solver=solver, C=1 / (rows * alpha), tol=1e-11, max_iter=100_000, **l1, **options
    )


@pytest.mark.parametrize("solver, intercept", [("saga", True), ("liblinear", False)])
def test_l1_logistic_is_that_of_scikit_learn(solver: str, intercept: bool) -> None:
    X, y = labels(150, 8, seed=8)
    X = StandardScaler().fit_transform(X)
    alpha = 0.02
    ours = SparseClassifier(
        alpha, standardize=False, fit_intercept=intercept, tol=1e-10
    ).fit(X, y)
    other = logistic_regression(solver, alpha, len(y), fit_intercept=intercept).fit(X, y)

    def objective(m: Any) -> Any:
        at = logistic(X, y, m.coef_[0], np.ravel(m.intercept_)[0])
        return at + alpha * np.abs(m.coef_).sum()

    assert objective(ours) <= objective(other) * (1 + 1e-10)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-4)


def test_classes_are_texts() -> None:
    X, y = labels(100, 6, seed=9)
    names = np.array(["no", "yes"])
    m = SparseClassifier(0.02).fit(X, names[y])
    numbers = SparseClassifier(0.02).fit(X, y)
    assert m.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(m.predict(X), names[numbers.predict(X)])
    np.testing.assert_array_equal(m.predict_proba(X), numbers.predict_proba(X))
    assert m.score(X, names[y]) > 0.8


def test_more_classes_are_one_against_the_rest() -> None:
    rng = np.random.default_rng(10)
    centers = 3 * rng.normal(size=(4, 6))
    y = rng.integers(0, 4, size=160)
    X = centers[y] + rng.normal(size=(160, 6))
    names = np.array(list("dbca"))[y]
    m = SparseClassifier(0.01).fit(X, names)
    rest = OneVsRestClassifier(SparseClassifier(0.01)).fit(X, names)
    assert m.coef_.shape == (4, 6) and len(m.result_) == 4
    np.testing.assert_array_equal(m.predict(X), rest.predict(X))
    np.testing.assert_allclose(m.predict_proba(X), rest.predict_proba(X), rtol=1e-9)
    np.testing.assert_allclose(m.predict_proba(X).sum(axis=1), 1)
    np.testing.assert_allclose(m.predict_log_proba(X), np.log(m.predict_proba(X)))
    assert np.isfinite(m.predict_log_proba(1e6 * X)).all()
    assert m.score(X, names) > 0.9


# weights of rows


@pytest.mark.parametrize("penalty", ["l1", "mcp"])
def test_weights_are_repetitions(penalty: str) -> None:
    X, y = design(40, 8, seed=11)
    times = np.random.default_rng(0).integers(0, 4, size=40)
    m = SparseRegressor(0.2, penalty=penalty, tol=1e-9)
    again = clone(m).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    m.fit(X, y, sample_weight=times)
    np.testing.assert_allclose(m.coef_, again.coef_, atol=1e-8)
    lasso = Lasso(alpha=0.2, tol=1e-13, max_iter=100_000).fit(X, y, sample_weight=times)
    flat = SparseRegressor(0.2, standardize=False, tol=1e-10).fit(X, y, sample_weight=times)
    np.testing.assert_allclose(flat.coef_, lasso.coef_, atol=1e-6)


@pytest.mark.parametrize("penalty", ["l1", "mcp"])
@pytest.mark.parametrize("loss", ["huber", "cauchy", "logistic"])
def test_weights_are_repeated_rows_of_every_loss(loss: str, penalty: str) -> None:
    times = np.random.default_rng(5).integers(0, 4, size=60)
    m: Any
    if loss == "logistic":
        X, y = labels(60, 8, seed=11)
        y[::4] = 1 - y[::4]  # no few features separate them
        m = SparseClassifier(0.02, penalty=penalty, tol=1e-9)
    else:
        X, y = design(60, 8, seed=11)
        m = SparseRegressor(0.2, loss=loss, penalty=penalty, tol=1e-9)
    again = clone(m).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    m.fit(X, y, sample_weight=times)
    np.testing.assert_allclose(m.coef_, again.coef_, atol=1e-6)
    np.testing.assert_allclose(m.intercept_, again.intercept_, atol=1e-6)
    assert m.lambda_max_ == pytest.approx(again.lambda_max_)


def test_weighted_classes_are_those_of_scikit_learn() -> None:
    X, y = labels(80, 6, seed=11)
    for weights, classes in [
        (np.random.default_rng(2).uniform(0.2, 3, size=80), None),
        (None, "balanced"),
        (np.arange(80) % 3 + 1.0, {0: 1, 1: 4}),
    ]:
        m = SparseClassifier(0.02, class_weight=classes, standardize=False, tol=1e-9)
        m.fit(X, y, sample_weight=weights)
        mass = compute_sample_weight(classes, y) * (1 if weights is None else weights)
        other = logistic_regression("saga", 0.02, mass.sum()).fit(X, y, sample_weight=mass)
        np.testing.assert_allclose(m.coef_, other.coef_, atol=1e-4)
        np.testing.assert_allclose(m.intercept_, other.intercept_, atol=1e-4)


def test_rare_classes_count_as_much_as_others() -> None:
    rng = np.random.default_rng(3)
    y = (rng.random(400) < 0.05).astype(int)
    X = rng.normal(size=(400, 4)) + 1.2 * y[:, np.newaxis]
    plain, even = (SparseClassifier(class_weight=w).fit(X, y) for w in (None, "balanced"))
    rare = y == 1
    assert np.mean(even.predict(X)[rare]) > 0.85 > 0.5 > np.mean(plain.predict(X)[rare])
    given = SparseClassifier(class_weight={0: 1 / np.sum(~rare), 1: 1 / np.sum(rare)}).fit(X, y)
    np.testing.assert_allclose(given.coef_, even.coef_, rtol=1e-6)


def test_weights_of_every_estimator() -> None:
    for m in (SparseRegressor(), SparseRegressorCV(), SparseClassifier(), SparseClassifierCV()):
        assert has_fit_parameter(m, "sample_weight")
    X, y = labels(40, 5, seed=11)
    with pytest.raises(ValueError, match="no row of the class .*0.* has a weight above zero"):
        SparseClassifier().fit(X, y, sample_weight=y)


@pytest.mark.parametrize("weights", [np.zeros(40), np.r_[-1.0, np.ones(39)]])
def test_weights_are_not_negative(weights: Any) -> None:
    with pytest.raises(ValueError, match="(?i)sample.weight"):
        SparseRegressor().fit(*design(40, 8, seed=11), sample_weight=weights)


# cross-validation


@pytest.mark.parametrize("loss", ["squared", "huber", "cauchy"])
def test_splits_are_scored_as_the_library_does(loss: str) -> None:
    X, y = design(12, 4, seed=12)
    own = SparseRegressorCV(loss=loss, cv=12, alphas=15).fit(X, y)
    split = SparseRegressorCV(loss=loss, cv=LeaveOneOut(), alphas=15).fit(X, y)
    np.testing.assert_allclose(split.deviance_, own.deviance_, rtol=1e-7)
    np.testing.assert_allclose(split.deviance_error_, own.deviance_error_, rtol=1e-7)
    assert split.lambda_ == own.lambda_ and split.lambda_one_se_ == own.lambda_one_se_
    np.testing.assert_array_equal(split.coef_, own.coef_)


def test_splits_of_labels_are_scored_as_the_library_does() -> None:
    X, y = labels(30, 4, seed=12)
    own = SparseClassifierCV(cv=30, alphas=8, ratio=0.1).fit(X, y)
    split = SparseClassifierCV(cv=LeaveOneOut(), alphas=8, ratio=0.1).fit(X, y)
    np.testing.assert_allclose(split.deviance_, own.deviance_, rtol=1e-7)
    np.testing.assert_allclose(split.deviance_error_, own.deviance_error_, rtol=1e-7)


def test_weights_of_rows_left_out() -> None:
    X, y = design(30, 4, seed=13)
    times = np.random.default_rng(1).integers(1, 4, size=30)
    at = np.repeat(np.arange(30), times)
    folds = np.arange(30) % 3
    splits = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(3)]
    again = [(np.flatnonzero(folds[at] != k), np.flatnonzero(folds[at] == k)) for k in range(3)]
    m = SparseRegressorCV(cv=splits, alphas=10, tol=1e-9).fit(X, y, sample_weight=times)
    repeated = SparseRegressorCV(cv=again, alphas=10, tol=1e-9).fit(X[at], y[at])
    np.testing.assert_allclose(m.deviance_, repeated.deviance_, rtol=1e-6)
    np.testing.assert_allclose(m.deviance_error_, repeated.deviance_error_, rtol=1e-6)


@pytest.mark.parametrize("weights", [None, np.arange(60) % 4])
def test_weights_of_classes_left_out(weights: Any) -> None:
    X, y = labels(60, 4, seed=13)
    at = np.arange(60) if weights is None else np.repeat(np.arange(60), weights)
    folds = np.arange(60) % 3
    cv = PredefinedSplit(folds)
    m = SparseClassifierCV(cv=cv, alphas=10, ratio=0.1, tol=1e-9).fit(X, y, sample_weight=weights)
    again = SparseClassifierCV(cv=PredefinedSplit(folds[at]), alphas=10, ratio=0.1, tol=1e-9)
    again.fit(X[at], y[at])
    np.testing.assert_allclose(m.deviance_, again.deviance_, rtol=1e-6)
    np.testing.assert_allclose(m.deviance_error_, again.deviance_error_, rtol=1e-6)


def test_splitters_run_as_folds_of_the_library() -> None:
    X, y = design(40, 5, seed=14)
    rows = np.arange(40)
    held = np.where(rows < 12, rows % 3, -1)
    weights = rows % 3 + 1.0
    for cv in (KFold(4), KFold(5, shuffle=True, random_state=1), PredefinedSplit(held)):
        m = SparseRegressorCV(cv=cv, alphas=10, tol=1e-9).fit(X, y, sample_weight=weights)
        assert m.result_.settings["folds"] == cv.get_n_splits()
        splits = list(cv.split(X, y))
        folds = folds_of(splits, 40)
        assert folds is not None
        for k, (kept, out) in enumerate(splits):
            np.testing.assert_array_equal(np.flatnonzero(folds == k), out)
        options = dict(loss="squared", penalty="l1", eps=1e-9)
        own = cross_validate(m.result_, X, y, weights, splits, dict(options, row_weights=weights))
        np.testing.assert_allclose(m.deviance_, own.deviance, rtol=1e-7)
        np.testing.assert_allclose(m.deviance_error_, own.error, rtol=1e-7)


def test_other_splitters_run_by_themselves() -> None:
    X, y = design(40, 5, seed=14)
    for cv in (ShuffleSplit(4, random_state=0), TimeSeriesSplit(3), RepeatedKFold(n_repeats=2)):
        assert folds_of(list(cv.split(X, y)), 40) is None
        m = SparseRegressorCV(cv=cv, alphas=10).fit(X, y)
        assert m.result_.settings["folds"] == 0 and np.all(m.deviance_error_ > 0)
    assert folds_of([], 40) is None
    mask = np.arange(40) < 10
    folds = folds_of([(~mask, mask)], 40)
    assert folds is not None and np.array_equal(folds, np.where(mask, 0, -1))


def test_groups_stay_together() -> None:
    X, y = design(40, 5, seed=14)
    groups = np.arange(40) // 4
    m = SparseRegressorCV(cv=GroupKFold(5), alphas=10).fit(X, y, groups=groups)
    splits = list(GroupKFold(5).split(X, y, groups))
    np.testing.assert_array_equal(
        m.deviance_, SparseRegressorCV(cv=splits, alphas=10).fit(X, y).deviance_
    )
    with pytest.raises(crease.ArgumentError, match="groups are for splitters"):
        SparseRegressorCV(cv=5).fit(X, y, groups=groups)


@pytest.mark.parametrize("cv", [5, None, KFold(5)])
def test_rules(cv: Any) -> None:
    X, y = design(80, 20, seed=15)
    best = SparseRegressorCV(penalty="mcp", cv=cv).fit(X, y)
    sparser = SparseRegressorCV(penalty="mcp", cv=cv, rule="one_se").fit(X, y)
    k = int(np.argmin(best.deviance_))
    near = np.flatnonzero(best.deviance_ <= best.deviance_[k] + best.deviance_error_[k])
    assert best.lambda_ == best.lambda_best_ == best.lambdas_[k]
    assert sparser.lambda_ == best.lambda_one_se_ == best.lambdas_[near[0]] >= best.lambda_
    assert np.count_nonzero(sparser.coef_) <= np.count_nonzero(best.coef_)
    assert set(range(4)) <= set(np.flatnonzero(sparser.coef_))
    assert best.deviance_[k] < 0.5


def test_lambdas_may_be_given() -> None:
    X, y = design(40, 5, seed=14)
    m = SparseRegressorCV(alphas=[0.1, 1.0, 0.5]).fit(X, y)
    assert m.lambdas_.tolist() == [1.0, 0.5, 0.1] and m.lambda_ in m.lambdas_
    short = SparseRegressorCV(alphas=7, ratio=0.1).fit(X, y)
    assert len(short.lambdas_) == 7
    assert short.lambdas_[-1] == pytest.approx(0.1 * short.lambda_max_)


def test_every_class_has_its_lambda() -> None:
    rng = np.random.default_rng(16)
    y = rng.integers(0, 3, size=120)
    X = 2 * np.eye(3)[y] @ rng.normal(size=(3, 5)) + rng.normal(size=(120, 5))
    m = SparseClassifierCV(alphas=20).fit(X, y)
    assert m.lambda_.shape == m.lambda_max_.shape == (3,) and len(m.deviance_) == 3
    for k in range(3):
        one = SparseClassifierCV(alphas=20).fit(X, y == k)
        assert one.lambda_ == m.lambda_[k]
        np.testing.assert_array_equal(one.coef_[0], m.coef_[k])


def test_seed_of_the_folds() -> None:
    X, y = design(60, 12, seed=17)

    def scores(random_state: Any) -> Any:
        return SparseRegressorCV(alphas=10, random_state=random_state).fit(X, y).deviance_

    np.testing.assert_array_equal(scores(3), scores(3))
    assert np.any(scores(3) != scores(4))
    own = np.random.RandomState(0)
    assert np.any(scores(own) != scores(own))


def test_no_time_for_cross_validation() -> None:
    with pytest.raises(crease.CutError, match="max_seconds"):
        SparseRegressorCV(max_seconds=0).fit(*design(60, 12, seed=17))


# robust PCA


def planted(rows: int, columns: int, rank: int, seed: int) -> Tuple[Any, Any, Any]:
    """Rows in an affine subspace with noise; the same with a tenth of the entries spoilt."""
    rng = np.random.default_rng(seed)
    basis = rng.normal(size=(rank, columns))
    clean = rng.normal(size=(rows, rank)) @ basis + 5 * rng.normal(size=columns)
    clean += 0.01 * rng.normal(size=clean.shape)
    hit = rng.random(clean.shape) < 0.1
    return basis, clean, clean + hit * 20 * rng.normal(size=clean.shape)


def angle(a: Any, b: Any) -> Any:
    """The sine of the largest angle between the row spaces."""
    p, q = np.linalg.qr(a.T)[0], np.linalg.qr(b.T)[0]
    return np.linalg.norm(p - q @ (q.T @ p), 2)


@pytest.mark.parametrize("asked", [3, None])
@pytest.mark.parametrize("penalty", ["l1", "mcp"])
@pytest.mark.parametrize("seed", [0, 1])
def test_outliers_do_not_move_components(asked: Any, penalty: str, seed: int) -> None:
    basis, clean, X = planted(200, 20, 3, seed)
    floor = angle(basis, PCA(3).fit(clean).components_)
    m = RobustPCA(asked, penalty=penalty).fit(X)
    assert m.n_components_ == 3
    assert angle(basis, m.components_) <= 4 * floor
    assert angle(basis, PCA(3).fit(X).components_) > 0.3
    np.testing.assert_allclose(m.components_ @ m.components_.T, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(m.inverse_transform(m.transform(X)), clean, atol=0.5)
    assert np.median(np.abs(m.inverse_transform(m.transform(X)) - clean)) < 0.02
    assert m.noise_ == pytest.approx(0.01, rel=0.3)
    assert np.all(np.diff(m.explained_variance_) <= 0)
    assert m.explained_variance_ratio_.sum() == pytest.approx(1, abs=1e-3)
    assert m.result_.certificate.valid


def test_new_rows_are_fitted_robustly() -> None:
    _, clean, X = planted(200, 20, 3, seed=3)
    m = RobustPCA(3).fit(X[:150])
    wild = clean[150:].copy()
    wild[:, 4] += 1000
    np.testing.assert_allclose(m.transform(wild), m.transform(clean[150:]), atol=0.1)


def test_scores_are_lowest_for_outliers() -> None:
    _, clean, _ = planted(150, 20, 3, seed=4)
    spoilt = clean.copy()
    rows = np.arange(0, 150, 10)
    spoilt[rows, 7] += 5
    m = RobustPCA().fit(spoilt)
    scores = m.score_samples(spoilt)
    assert set(np.argsort(scores)[: len(rows)]) == set(rows)
    assert -1.2 < np.median(scores) < -0.7
    distance = np.sqrt(np.mean((spoilt - m.inverse_transform(m.transform(spoilt))) ** 2, axis=1))
    np.testing.assert_allclose(scores, -distance / m.noise_, rtol=1e-6)


def test_fit_transform_is_transform() -> None:
    _, _, X = planted(100, 12, 2, seed=5)
    m = RobustPCA(2)
    np.testing.assert_array_equal(m.fit_transform(X), m.transform(X))


def test_missing_entries() -> None:
    basis, clean, X = planted(200, 20, 3, seed=6)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    m = RobustPCA(3, missing="nan").fit(X)
    assert angle(basis, m.components_) < 0.02
    assert np.isfinite(m.transform(X)).all() and np.isfinite(m.score_samples(X)).all()
    with pytest.raises(ValueError, match="NaN"):
        RobustPCA().fit(X)


def test_without_a_mean() -> None:
    basis, clean, X = planted(200, 20, 3, seed=7)
    m = RobustPCA(4, center=False).fit(X)
    assert not m.mean_.any() and m.components_.shape == (4, 20)
    assert angle(basis, m.components_) < 0.02


@pytest.mark.parametrize("make", [RobustPCA, SparsePCA])
def test_coefficients_of_other_components(make: Any) -> None:
    m = make(2).fit(planted(40, 6, 2, seed=8)[1])
    with pytest.raises(crease.ShapeError, match="X has 3 columns, and there are 2 components"):
        m.inverse_transform(np.zeros((4, 3)))


def test_rows_without_entries() -> None:
    _, clean, X = planted(60, 10, 2, seed=8)
    X[4] = np.nan
    m = RobustPCA(2, missing="nan").fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.flatnonzero(np.isnan(m.score_samples(X))).tolist() == [4]
        assert not m.transform(X)[4].any()


# sparse PCA


def blocks(seed: int) -> Any:
    """Three components of strength 4, 3, 2 on features 0-4, 5-9 and 12-14 of 20."""
    rng = np.random.default_rng(seed)
    loadings = np.zeros((3, 20))
    for k, (first, last) in enumerate([(0, 5), (5, 10), (12, 15)]):
        loadings[k, first:last] = 1 / np.sqrt(last - first)
    return (rng.normal(size=(200, 3)) * [4, 3, 2]) @ loadings + 0.3 * rng.normal(size=(200, 20))


@pytest.mark.parametrize("penalty", ["l1", "l0", "mcp", "scad"])
def test_supports_are_found(penalty: str) -> None:
    m = SparsePCA(3, penalty=penalty).fit(blocks(0))
    assert [np.flatnonzero(c).tolist() for c in m.components_] == [
        [0, 1, 2, 3, 4],
        [5, 6, 7, 8, 9],
        [12, 13, 14],
    ]
    np.testing.assert_allclose(np.linalg.norm(m.components_, axis=1), 1)
    assert np.all(np.diff(m.explained_variance_) < 0)
    assert 0.9 < m.explained_variance_ratio_.sum() < 1


def test_component_is_stationary() -> None:
    X = blocks(1)
    m = SparsePCA(6).fit(X)
    rows, before = X - X.mean(axis=0), np.zeros((20, 0))
    for k, x in enumerate(m.components_):
        q = np.linalg.qr(before)[0]
        left = rows - (rows @ q) @ q.T
        t = left.T @ (left @ x) / len(X)
        shrunk = np.sign(t) * np.maximum(np.abs(t) - m.alpha_[k], 0)
        np.testing.assert_allclose(x, shrunk / np.linalg.norm(shrunk), atol=1e-5)
        before = np.column_stack([before, x])


def test_without_a_penalty_it_is_pca() -> None:
    X = blocks(2)
    m = SparsePCA(5, penalty="zero", alpha=1.0).fit(X)
    pca = PCA(5).fit(X)
    cosines = np.abs(np.sum(m.components_ * pca.components_, axis=1))
    np.testing.assert_allclose(cosines, 1, atol=1e-6)
    shares = pca.explained_variance_ratio_
    np.testing.assert_allclose(m.explained_variance_ratio_, shares, atol=1e-6)


def test_sparse_coefficients_are_least_squares() -> None:
    X = blocks(3)
    m = SparsePCA(3, penalty="l0").fit(X)
    rest = X - m.inverse_transform(m.transform(X))
    np.testing.assert_allclose(rest @ m.components_.T, 0, atol=1e-9)


def test_components_that_are_not_there() -> None:
    X = np.outer(np.arange(10.0), [0, 2, 0, 0])
    with pytest.warns(UserWarning, match="1 components found of 3, the others are zero"):
        m = SparsePCA(3).fit(X)
    assert m.components_.shape == (3, 4) and not m.components_[1:].any()
    assert SparsePCA(None).fit(X).components_.shape == (1, 4)
    with pytest.warns(UserWarning, match="0 components found of 1"):
        none = SparsePCA(alpha=1e6).fit(X)
    assert not none.transform(X).any()


# certificates, and how estimators live among others


def test_not_certified() -> None:
    X, y = design(60, 12, seed=18)
    assert issubclass(NotCertifiedWarning, ConvergenceWarning)
    assert issubclass(NotCertifiedWarning, crease.NotCertifiedWarning)
    rough: Any
    for rough, data in [
        (SparseRegressor(0.01, max_iter=1), (X, y)),
        (SparseClassifier(0.01, max_iter=1), labels(60, 12, seed=18)),
        (RobustPCA(3, max_iter=0, max_seconds=0), (planted(60, 20, 3, seed=8)[2],)),
    ]:
        with pytest.warns(NotCertifiedWarning, match="not certified stationary") as told:
            rough.fit(*data)
        assert told[0].filename == __file__


def test_certified_fits_are_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SparseRegressorCV(penalty="scad").fit(*design(60, 12, seed=18))
        SparseClassifierCV(alphas=10, ratio=0.1).fit(*labels(60, 5, seed=18))
        RobustPCA().fit(planted(60, 20, 3, seed=8)[2])
        SparsePCA(3).fit(blocks(4))


@pytest.mark.parametrize("kept", [0.15, 0.6])
@pytest.mark.parametrize("weights", [None, np.arange(90) % 3])
def test_sparse_rows_are_as_dense_ones(kept: float, weights: Any) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    X, _ = design(90, 8, seed=21)
    rng = np.random.default_rng(21)
    X *= rng.random(X.shape) < kept
    y = X[:, 0] - 2 * X[:, 3] + 0.3 * rng.normal(size=90)
    classes = (y + rng.logistic(size=90) > 0).astype(int)
    for m, target in [
        (SparseRegressor(0.1, penalty="mcp", tol=1e-9), y),
        (SparseRegressor(0.02, loss="huber:1", standardize=False, tol=1e-9), y),
        (SparseClassifier(0.02, tol=1e-9), classes),
        (SparseRegressorCV(cv=KFold(4), alphas=10, tol=1e-9), y),
        (SparseRegressorCV(cv=TimeSeriesSplit(3), alphas=10, tol=1e-9), y),
        (SparseClassifierCV(cv=4, alphas=10, ratio=0.1, tol=1e-9), classes),
    ]:
        dense = clone(m).fit(X, target, sample_weight=weights)
        for form in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix):
            again = clone(m).fit(form(X), target, sample_weight=weights)
            np.testing.assert_allclose(again.coef_, dense.coef_, atol=1e-7)
            np.testing.assert_allclose(again.predict(form(X)), again.predict(X), atol=1e-12)


@pytest.mark.parametrize("name", ["robust-pca", "sparse-pca"])
def test_sparse_matrices_are_refused(name: str) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    estimator: Any = ESTIMATORS[name]
    X, y = labels(20, 5, seed=0)
    with pytest.raises(TypeError, match="dense"):
        clone(estimator).fit(sparse.csr_matrix(X), y)


@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)
def test_pickles_predict_the_same(estimator: Any) -> None:
    X, y = labels(60, 5, seed=19)
    m = clone(estimator).fit(X, y)
    again = pickle.loads(pickle.dumps(m))
    for method in ("predict", "predict_proba", "transform", "score_samples"):
        if hasattr(m, method):
            np.testing.assert_array_equal(getattr(again, method)(X), getattr(m, method)(X))
    assert again.result_ == m.result_
    assert clone(m).get_params() == m.get_params()


@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)
def test_names_of_features(estimator: Any) -> None:
    pandas = pytest.importorskip("pandas")
    X, y = labels(60, 5, seed=19)
    frame = pandas.DataFrame(X, columns=list("abcde"), index=np.arange(60) + 100)
    m = clone(estimator).fit(frame, y)
    assert m.feature_names_in_.tolist() == list("abcde")
    result = m.result_[0] if isinstance(m.result_, tuple) else m.result_
    assert result.axes[1].labels.tolist() == list("abcde")
    if hasattr(m, "transform"):
        names = m.get_feature_names_out()
        out = m.set_output(transform="pandas").transform(frame)
        assert list(out.columns) == list(names)
        assert names[0] == type(m).__name__.lower() + "0"
        assert list(out.index) == list(frame.index)
    with pytest.raises(ValueError, match="feature names"):
        (getattr(m, "transform", None) or m.predict)(frame[list("abced")])


def test_inputs_are_not_written_to() -> None:
    X, y = labels(60, 5, seed=19)
    for a in (X, y):
        a.flags.writeable = False
    for estimator in ESTIMATORS.values():
        clone(estimator).fit(X, y)


def test_grid_search_in_processes_and_threads() -> None:
    X, y = design(80, 12, seed=20)
    pipeline = make_pipeline(StandardScaler(), SparseRegressor())
    grid = {
        "sparseregressor__penalty": ["l1", "mcp", "scad"],
        "sparseregressor__alpha": [0.05, 0.2],
    }
    search = GridSearchCV(pipeline, grid, cv=3, n_jobs=2).fit(X, y)
    alone = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    np.testing.assert_array_equal(
        search.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"]
    )
    assert search.best_score_ > 0.9

    with joblib.parallel_backend("threading", n_jobs=2):
        threads = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    np.testing.assert_array_equal(
        threads.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"]
    )


def test_pipeline_of_both() -> None:
    _, _, data = planted(80, 12, 2, seed=9)
    target = RobustPCA(2).fit_transform(data)[:, 0]
    chain = make_pipeline(RobustPCA(), SparseRegressorCV(alphas=20, cv=3))
    chosen = GridSearchCV(chain, {"robustpca__n_components": [1, 2]}, cv=3)
    assert chosen.fit(data, target).best_params_ == {"robustpca__n_components": 2}
