/* SPDX-License-Identifier: MIT
 * colour: words in colour, for those who see them on a terminal. Nothing is said by colour alone.
 * It is left out with NO_COLOR (no-color.org), on a dumb terminal and wherever the output is not a
 * terminal; --color always and never overrule that. */
#define _XOPEN_SOURCE 700
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"

bool crs_colour_option(const crs_args *a, crease_error *e)
{
    const char *text = crs_given(a, CRS_OPT_COLOR);
    return !text || strcmp(text, "auto") == 0 || strcmp(text, "always") == 0 ||
           strcmp(text, "never") == 0 ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "--color %.64s: write auto, always or never", text);
}

bool crs_colours(const crs_args *a, FILE *f)
{
    const char *asked = crs_given(a, CRS_OPT_COLOR), *none = getenv("NO_COLOR"),
               *terminal = getenv("TERM");
    if (asked && strcmp(asked, "auto") != 0) return strcmp(asked, "always") == 0;
    if (none && *none) return false;
    return terminal && strcmp(terminal, "dumb") != 0 && isatty(fileno(f));
}

void crs_print_tone(const crs_args *a, FILE *f, crs_tone tone, const char *format, ...)
{
    static const char *const code[] = { [CRS_TONE_GOOD] = "32",
                                        [CRS_TONE_DOUBT] = "33",
                                        [CRS_TONE_BAD] = "31",
                                        [CRS_TONE_STRONG] = "1" };
    const bool coloured = crs_colours(a, f);
    va_list args;
    if (coloured) fprintf(f, "\033[%sm", code[tone]);
    va_start(args, format);
    vfprintf(f, format, args);
    va_end(args);
    if (coloured) fputs("\033[0m", f);
}
