# SPDX-License-Identifier: MIT
"""Certified answers to structured nonconvex and nonsmooth problems.

`rpca` takes matrices and tensors apart into low-rank, sparse and noise, `apply` sees new samples
with the components, `spca` finds sparse components, `regress` fits sparse regressions, `solve`
solves problems of your own, and `verify` judges any of the results anew.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Dict, List

if TYPE_CHECKING:
    from ._errors import (
        ArgumentError as ArgumentError,
        CutError as CutError,
        DataError as DataError,
        Error as Error,
        Interrupted as Interrupted,
        NotCertifiedWarning as NotCertifiedWarning,
        NumericalError as NumericalError,
        ShapeError as ShapeError,
        UnsupportedError as UnsupportedError,
    )
    from ._options import (
        apply as apply,
        check as check,
        generate as generate,
        read as read,
        regress as regress,
        rpca as rpca,
        solve as solve,
        spca as spca,
        verify as verify,
        write as write,
    )
    from ._folder import Answer as Answer, Certificate as Certificate
    from ._terms import *
    from .arrays import Axis as Axis
    from .entries import (
        Regularizer as Regularizer,
        Set as Set,
        catalogue as catalogue,
        lmo as lmo,
        project as project,
        prox as prox,
    )
    from .io import Data as Data
    from .model import (
        Expression as Expression,
        Parameter as Parameter,
        Problem as Problem,
        Smooth as Smooth,
        Solution as Solution,
        Variable as Variable,
        bilinear as bilinear,
        circular_convolution as circular_convolution,
        concatenate as concatenate,
        convolution as convolution,
        cp as cp,
        dct as dct,
        finite_difference as finite_difference,
        gradient as gradient,
        kronecker as kronecker,
        low_rank as low_rank,
        mask as mask,
        matrix_factorization as matrix_factorization,
        minimize as minimize,
        multilinear as multilinear,
        norm_power as norm_power,
        operator as operator,
        quadratic as quadratic,
        squared_distance as squared_distance,
        tucker as tucker,
        wavelet as wavelet,
    )
    from .result import (
        Check as Check,
        Instance as Instance,
        Path as Path,
        RankTable as RankTable,
        Result as Result,
        RPCAResult as RPCAResult,
        Scores as Scores,
        SPCAResult as SPCAResult,
        Verdict as Verdict,
        load as load,
    )
    from .verbs import rank_table as rank_table

    __version__: str

# Names by the module that has them; a module is imported when one of its names is asked for.
_NAMES: Dict[str, str] = {
    name: module
    for module, names in {
        "_errors": "ArgumentError CutError DataError Error Interrupted NotCertifiedWarning "
        "NumericalError ShapeError UnsupportedError",
        "_options": "apply check generate read regress rpca solve spca verify write",
        "_folder": "Answer Certificate",
        "arrays": "Axis",
        "entries": "Regularizer Set catalogue lmo project prox",
        "io": "Data",
        "model": "Expression Parameter Problem Smooth Solution Variable bilinear circular_convolution "
        "concatenate convolution cp dct finite_difference gradient kronecker low_rank mask "
        "matrix_factorization minimize multilinear norm_power operator quadratic squared_distance "
        "tucker wavelet",
        "result": "Check Instance Path RankTable Result RPCAResult Scores "
        "SPCAResult Verdict load",
        "verbs": "rank_table",
    }.items()
    for name in names.split()
}

__all__ = sorted(_NAMES)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value = import_module("._options", __name__).VERSION
    elif name == "estimators":  # which needs scikit-learn
        value = import_module(".estimators", __name__)
    elif name in _NAMES:
        value = getattr(import_module("." + _NAMES[name], __name__), name)
    elif not name.startswith("_") and name in _catalogued():
        value = getattr(import_module("._terms", __name__), name)
    else:
        raise AttributeError(f"module 'crease' has no attribute {name!r}")
    globals()[name] = value
    return value


def _catalogued() -> List[str]:
    """Regularizers, sets and losses: the functions that are made from the catalogue."""
    names: List[str] = import_module("._terms", __name__).__all__
    return names


def __dir__() -> List[str]:
    return sorted({*globals(), *__all__, *_catalogued(), "__version__"})
