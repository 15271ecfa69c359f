# SPDX-License-Identifier: MIT
"""What can go wrong, by kind. Every sentence says what, where and how to mend it."""

from __future__ import annotations

from typing import Any, Optional


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
