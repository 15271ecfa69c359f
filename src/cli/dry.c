/* SPDX-License-Identifier: MIT
 * dry: --dry-run: everything up to the first computation happens (options, folder, data, memory),
 * then what would be done is said, and how long it may take. Of data beyond LARGE bytes the head
 * of the file is read alone, where it has one. */
#include "cli/cli.h"

static const double large = 0x1p28; /* bytes */

bool crs_dry(const crs_args *a) { return crs_given(a, CRS_OPT_DRY_RUN); }

bool crs_dry_head(const crs_args *a, const char *path, const crs_asked *asked, crease_space *s)
{
    crease_space claimed;
    if (!crs_dry(a) || !crs_read_shape(path, asked, &claimed) || claimed.order < 2 ||
        8 * (double)crease_size(&claimed) <= large)
        return false;
    *s = claimed;
    return true;
}

/* Multiplications and additions that this machine does in a second, by doing some; the fastest of
 * a few times, for others may run beside. */
static double speed(const crs_args *a)
{
    enum { LENGTH = 1 << 12, ROUNDS = 64, TIMES = 8 };
    double x[LENGTH], y[LENGTH], least = INFINITY;
    for (int j = 0; j < LENGTH; j++) x[j] = 1.0 / (1 + j), y[j] = 0;
    for (int t = 0; t < TIMES; t++) {
        const double begun = crease_watch_total(a->watch);
        for (int k = 0; k < ROUNDS; k++) {
            for (int j = 0; j < LENGTH; j++) y[j] += 1e-3 * x[j];
            for (int j = 0; j < LENGTH; j++) x[j] += 1e-3 * y[j];
        }
        least = smaller(least, crease_watch_total(a->watch) - begun);
    }
    return x[0] > 0 ? 4.0 * LENGTH * ROUNDS / least : 1; /* what was computed is used */
}

static void seconds_text(double s, char out[32])
{
    if (s < 10)
        snprintf(out, 32, "%.1g s", s);
    else if (s < 120)
        snprintf(out, 32, "%.0f s", s);
    else if (s < 7200)
        snprintf(out, 32, "%.0f minutes", s / 60);
    else
        snprintf(out, 32, "%.2g hours", s / 3600);
}

void crs_dry_time(const crs_args *a, const crs_dry_work *w)
{
    char low[32], high[32];
    const double each = w->operations / speed(a);
    seconds_text(w->least * each, low);
    seconds_text(w->most * each, high);
    if (w->most * each < 1)
        crs_line("time", "less than a second");
    else
        crs_line("time", "%s to %s for %.0f to %.0f %s, and what reading and writing take", low,
                 high, w->least, w->most, w->what);
}

void crs_dry_memory(double bytes)
{
    char need[32], have[32];
    crs_bytes_text(bytes, need);
    crs_bytes_text(crs_memory_free(), have);
    crs_line("memory", "about %s; %s are free", need, have);
}

void crs_dry_files(const crs_args *a, const char *names)
{
    const char *folder = crs_given(a, CRS_OPT_OUT);
    if (folder)
        crs_line("files", "%s/ with %s%s, result.json", folder, names,
                 strcmp(a->verb->name, "generate") == 0 ? "" : ", certificate.json");
    else
        crs_line("files", "none: there is no --out");
    if (crs_takes(a->verb, CRS_OPT_REPORT) && crs_given(a, CRS_OPT_REPORT))
        crs_line("page", "%s", crs_given(a, CRS_OPT_REPORT));
    crs_print("\nNothing was computed, and nothing was written.\n");
}
