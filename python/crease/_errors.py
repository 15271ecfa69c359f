# SPDX-License-Identifier: MIT
"""What can go wrong, by kind. Every sentence says what, where and how to mend it."""

from __future__ import annotations

from typing import Any, Dict, Optional, Type


class Error(Exception):
    """Whatever crease refuses or fails at, but for memory and files."""


class ArgumentError(Error, ValueError):
    """An argument is outside its documented domain."""


class ShapeError(Error, ValueError):
    """Dimensions do not agree."""


class DataError(Error, ValueError):
    """The data are malformed or not finite."""


class UnsupportedError(Error, NotImplementedError):
    """This combination has no exact method here."""


class NumericalError(Error, ArithmeticError):
    """A factorization did not converge or met a value that is not finite."""


class CutError(Error, TimeoutError):
    """A limit came before there was anything to show."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. `result` is the best point so far, certified as far as it goes, or None."""

    def __init__(self, message: str = "", result: Optional[Any] = None) -> None:
        super().__init__(message)
        self.result = result


class NotCertifiedWarning(UserWarning):
    """The point that is returned is not certified to the tolerance that was asked for."""


_CODES: Dict[str, Type[Exception]] = {
    "BAD_ARGUMENT": ArgumentError,
    "BAD_SHAPE": ShapeError,
    "BAD_DATA": DataError,
    "UNSUPPORTED": UnsupportedError,
    "NO_MEMORY": MemoryError,
    "NO_INPUT": FileNotFoundError,
    "IO": OSError,
    "NUMERICAL_FAILURE": NumericalError,
    "CUT": CutError,
}


def of_code(name: str) -> Type[Exception]:
    """The exception for a code of crease_code, named without CREASE_."""
    return _CODES.get(name, Error)
