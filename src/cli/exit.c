/* SPDX-License-Identifier: MIT
 * exit: from the code of an error to the exit code of the program (sysexits.h) */
#include "cli/cli.h"

int crs_exit_code(crease_code code)
{
    switch (code) {
    case CREASE_OK:
        return 0;
    case CREASE_BAD_ARGUMENT:
    case CREASE_UNSUPPORTED:
        return 64;
    case CREASE_BAD_SHAPE:
    case CREASE_BAD_DATA:
        return 65;
    case CREASE_NO_INPUT:
        return 66;
    case CREASE_NO_MEMORY:
        return 71;
    case CREASE_IO:
        return 74;
    case CREASE_NUMERICAL_FAILURE:
        break;
    }
    return 70;
}
