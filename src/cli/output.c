/* SPDX-License-Identifier: MIT
 * output: results as lines of numbers, and the names of their files */
#include "cli/cli.h"

void crs_print_notice(const crs_args *a, const crs_array *point)
{
    if (point->notice[0]) crs_log_note(a, "%s", point->notice);
}

void crs_print_numbers(ptrdiff_t n, const double *x)
{
    for (ptrdiff_t j = 0; j < n; j++) crs_print("%.17g\n", x[j] == 0 ? 0 : x[j]);
}

bool crs_check_result(const char *what, ptrdiff_t n, const double *x, crease_error *e)
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (!isfinite(x[j]))
            return crs_fail(e, CREASE_NUMERICAL_FAILURE,
                            "%s: entry %td of the result is %g: a decomposition failed or a number "
                            "overflowed; rescale the data",
                            what, j + 1, x[j]);
    return true;
}

void crs_factor_file(int n, char out[32]) { snprintf(out, 32, "factor_%d.npy", n + 1); }

bool crs_join(const char *folder, const char *name, char *out, size_t size, crease_error *e)
{
    const int n = snprintf(out, size, "%s/%s", folder, name);
    return (n >= 0 && (size_t)n < size) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "%.200s: the path is too long; use a shorter one",
                    folder);
}
