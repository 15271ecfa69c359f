/* SPDX-License-Identifier: MIT
 * asked: what is asked of a file must be something that its format reads */
#include "io/formats/io.h"

/* Is it one of the words? */
static bool has_word(const char *words, const char *wanted)
{
    const size_t n = strlen(wanted);
    for (const char *at = words; at && (at = strstr(at, wanted)); at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0')) return true;
    return false;
}

bool crs_asked_suits(const crs_asked *a, const crs_format *f, const char *name, crease_error *e)
{
    const struct {
        const char *what;
        bool given;
    } all[] = { { "absent", a && a->absent },
                { "columns", a && a->columns },
                { "drop", a && a->drop },
                { "frames", a && a->frames },
                { "size", a && a->size },
                { "colour", a && a->colour },
                { "shape", a && a->shape.order > 0 } };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].given && !has_word(f->reads, all[k].what))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "--%s says nothing of %.200s, which is read as %s; leave it out",
                            all[k].what, name, f->name);
    return true;
}
