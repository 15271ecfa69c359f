/* SPDX-License-Identifier: MIT
 * version: which version of the library runs */
#include "cli/cli.h"

static bool run(const crs_args *a, crease_error *e)
{
    (void)a, (void)e;
    printf("crease %s\n", crease_version());
    return true;
}

const crs_verb crs_version_verb = {
    .name = "version",
    .words = "",
    .text = "Print the version.",
    .example = "crease version",
    .run = run,
};
