# SPDX-License-Identifier: MIT
"""emit.py CDEF FOLDER: writes _native.c, the module that cffi makes of declarations, and native.h.

native.h has those of the glue as C: a callback into Python is an ordinary function there.
"""

from __future__ import annotations

import pathlib
import re
import sys

from cffi import FFI  # type: ignore[import]

_LIBRARY = re.compile(r"^/\* -{4}.*-{4} \*/$", re.MULTILINE)  # what follows is in headers already

_HEADER = """\
/* Made from {name} by emit.py. */
#ifndef CREASE_NATIVE_H
#define CREASE_NATIVE_H

#include <stdbool.h>
#include <stddef.h>

#include <crease/crease.h>
#include <crease/job.h>

{declarations}
#endif
"""


def main(cdef: str, folder: str) -> None:
    """Writes both files."""
    source, target = pathlib.Path(cdef), pathlib.Path(folder)
    text = source.read_text(encoding="utf-8")
    glue = _LIBRARY.split(text)[0]
    header = _HEADER.format(name=source.name, declarations=glue.replace('extern "Python+C" ', ""))
    (target / "native.h").write_text(header, encoding="utf-8")

    ffi = FFI()
    ffi.cdef(text)
    ffi.set_source("crease._native", '#include "native.h"', py_limited_api=True)
    ffi.emit_c_code(str(target / "_native.c"))


if __name__ == "__main__":
    main(*sys.argv[1:])
