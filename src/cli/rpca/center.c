/* SPDX-License-Identifier: MIT
 * center: what robust PCA takes off the data before it fits them: constants, as center.npy (one for
 * all) or center_N.npy (one for every index of mode N) in the folder, and levels of noise, as
 * noise_levels_N.npy; the options, and data with or without them */
#include "cli/rpca/rpca.h"

bool crs_center_option(const crs_args *a, unsigned *modes, crease_error *e)
{
    const char *text = crs_given(a, CRS_OPT_CENTER);
    crs_array list;
    *modes = text && strcmp(text, "all") == 0 ? CREASE_CENTER_ALL : 0;
    if (!text || strcmp(text, "none") == 0 || *modes) return true;
    if (!crs_is_list(text) || !crs_parse_list("--center", text, &list, e))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--center %.64s: write none, all, or modes counted from 0, as 0 or 0,2",
                        text);
    bool good = true;
    for (ptrdiff_t k = 0; k < crease_size(&list.shape); k++) {
        const double n = list.data[k];
        good = good && n >= 0 && n < CREASE_MAX_ORDER && n == floor(n);
        if (good) *modes |= 1u << (int)n;
    }
    crs_array_free(&list);
    return good ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "--center %.64s: modes are whole numbers from 0 to %d",
                    text, CREASE_MAX_ORDER - 1);
}

bool crs_noise_option(const crs_args *a, crease_rpca_settings *s, crease_error *e)
{
    static const char *const word[] = { "global", "per-row", "per-slice", "auto" };
    const char *text = crs_given(a, CRS_OPT_NOISE_LEVELS);
    double mode;
    for (int k = 0; text && k < 4; k++)
        if (strcmp(text, word[k]) == 0) return s->noise = (crease_noise)k, true;
    if (!text) return true;
    if (strncmp(text, "per-slice:", 10) != 0 || !crs_parse_double(text + 10, &mode) ||
        !(mode >= 0 && mode < CREASE_MAX_ORDER && mode == floor(mode)))
        return crs_fail(
            e, CREASE_BAD_ARGUMENT,
            "--noise %.64s: write global, per-row, per-slice, per-slice:N with a mode N "
            "counted from 0, or auto",
            text);
    s->noise = CREASE_NOISE_SLICES;
    s->noise_mode = (int)mode;
    return true;
}

static void file_of(int n, char name[32])
{
    if (n < 0)
        snprintf(name, 32, "center.npy");
    else
        snprintf(name, 32, "center_%d.npy", n + 1);
}

static void levels_file(int n, char name[32]) { snprintf(name, 32, "noise_levels_%d.npy", n + 1); }

bool crs_center_write(crs_folder *f, const crease_rpca *fit, crease_error *e)
{
    const crease_space *s = &crease_rpca_used(fit)->shape;
    for (int n = -1; n < s->order; n++) {
        const crease_space shape = crease_vector(n < 0 ? 1 : s->dim[n]);
        const double *value = crease_rpca_center(fit, n);
        char name[32];
        file_of(n, name);
        if (value && !crs_folder_array(f, name, &shape, value, e)) return false;
        const double *level = n < 0 ? NULL : crease_rpca_noise_levels(fit, n);
        levels_file(n, name);
        if (level && !crs_folder_array(f, name, &shape, level, e)) return false;
    }
    return true;
}

crs_center_arrays crs_center_of(const crease_rpca *fit)
{
    crs_center_arrays c = { .shape = crease_rpca_used(fit)->shape };
    for (int n = -1; n < c.shape.order; n++) c.value[n + 1] = crease_rpca_center(fit, n);
    for (int n = 0; n < c.shape.order; n++)
        if (crease_rpca_noise_levels(fit, n))
            c.level = crease_rpca_noise_levels(fit, n), c.mode = n;
    return c;
}

/* Levels of one mode, each a number > 0. */
static bool read_levels(const char *folder, crs_center_arrays *c, crease_error *e)
{
    for (int n = 0; n < c->shape.order && !c->level; n++) {
        char name[32];
        levels_file(n, name);
        if (!crs_read_if_there(folder, name, &c->own_level, e)) return false;
        c->level = c->own_level.data;
        c->mode = n;
        if (!c->level) continue;
        if (crease_size(&c->own_level.shape) != c->shape.dim[n])
            return crs_fail(e, CREASE_BAD_SHAPE, "%s does not suit the data", name);
        for (ptrdiff_t i = 0; i < c->shape.dim[n]; i++)
            if (!(c->level[i] > 0 && c->level[i] < INFINITY))
                return crs_fail(e, CREASE_BAD_DATA,
                                "%s: entry %td is %g, and levels of noise are > 0; it is damaged",
                                name, i + 1, c->level[i]);
    }
    return true;
}

bool crs_center_read(const char *folder, const crease_space *s, crs_center_arrays *c,
                     crease_error *e)
{
    *c = (crs_center_arrays){ .shape = *s };
    for (int n = -1; n < s->order; n++) {
        char name[32];
        file_of(n, name);
        if (!crs_read_if_there(folder, name, &c->own[n + 1], e)) return false;
        c->value[n + 1] = c->own[n + 1].data;
        if (c->value[n + 1] && crease_size(&c->own[n + 1].shape) != (n < 0 ? 1 : s->dim[n]))
            return crs_fail(e, CREASE_BAD_SHAPE, "%s does not suit the data", name);
    }
    return read_levels(folder, c, e);
}

void crs_center_close(crs_center_arrays *c)
{
    crs_array_free(&c->own_level);
    for (int n = 0; n <= CREASE_MAX_ORDER; n++) crs_array_free(&c->own[n]);
}

void crs_noise_times(const crs_center_arrays *c, int sign, ptrdiff_t first, ptrdiff_t count,
                     double *x)
{
    ptrdiff_t right = 1;
    for (int k = c->mode + 1; c->level && k < c->shape.order; k++) right *= c->shape.dim[k];
    for (ptrdiff_t j = 0; c->level && j < count; j++) {
        const double s = c->level[(first + j) / right % c->shape.dim[c->mode]];
        x[j] = sign > 0 ? x[j] * s : x[j] / s;
    }
}

void crs_noise_terms(const crs_center_arrays *c, ptrdiff_t rank, double *const *unit,
                     double *weight)
{
    for (ptrdiff_t r = 0; c->level && r < rank; r++) {
        const ptrdiff_t n = c->shape.dim[c->mode];
        double sum = 0;
        for (ptrdiff_t i = 0; i < n; i++) sum += square(unit[c->mode][i * rank + r] / c->level[i]);
        const double norm = sum > 0 ? sqrt(sum) : 1;
        for (ptrdiff_t i = 0; i < n; i++) unit[c->mode][i * rank + r] /= c->level[i] * norm;
        weight[r] *= norm;
    }
}

void crs_center_shift(const crs_center_arrays *c, double sign, ptrdiff_t first, ptrdiff_t count,
                      double *x)
{
    if (sign > 0) crs_noise_times(c, 1, first, count, x);
    for (int n = -1; n < c->shape.order; n++) {
        const double *value = c->value[n + 1];
        ptrdiff_t right = 1;
        for (int k = n + 1; n >= 0 && k < c->shape.order; k++) right *= c->shape.dim[k];
        for (ptrdiff_t j = 0; value && j < count; j++)
            x[j] += sign * value[n < 0 ? 0 : (first + j) / right % c->shape.dim[n]];
    }
    if (sign < 0) crs_noise_times(c, -1, first, count, x);
}

double crs_center_size(const crs_center_arrays *c)
{
    double most = 0, least = 1;
    for (ptrdiff_t i = 0; c->level && i < c->shape.dim[c->mode]; i++)
        least = smaller(least, c->level[i]);
    for (int n = -1; n < c->shape.order; n++) {
        double top = 0;
        for (ptrdiff_t j = 0; c->value[n + 1] && j < (n < 0 ? 1 : c->shape.dim[n]); j++)
            top = larger(top, fabs(c->value[n + 1][j]));
        most += top;
    }
    return most / least;
}

/* Levels of the noise, or that it should have some. */
static void print_noise(const crease_rpca *fit, const crease_rpca_facts *f)
{
    const crs_center_arrays own = crs_center_of(fit);
    const double many = 3; /* fold */
    double least = INFINITY, most = 0;
    for (ptrdiff_t i = 0; own.level && i < own.shape.dim[own.mode]; i++)
        least = smaller(least, own.level[i]), most = larger(most, own.level[i]);
    if (own.level)
        crs_line("noise levels", "%s, %.3g to %.3g of the usual one, in noise_levels_%d.npy: %s",
                 own.shape.order == 2 && own.mode == 0 ? "per-row" : "per-slice", least, most,
                 own.mode + 1, f->noise_reason);
    else if (f->noise_reason[0])
        crs_line("noise levels", "global: %s", f->noise_reason);
    else if (f->noise_ratio >= many)
        crs_line("note",
                 "noise differs %.2g-fold along mode %d; --noise per-slice:%d would take that into "
                 "account",
                 f->noise_ratio, f->noise_in, f->noise_in);
}

void crs_center_print(const crease_rpca *fit, const crease_rpca_facts *f)
{
    const double *all = crease_rpca_center(fit, -1);
    const bool one = f->constant_in == CREASE_CENTER_ALL;
    char modes[2 * CREASE_MAX_ORDER + 8] = "all";
    if (all) crs_line("center", "%.4g, removed from the data and in the low-rank part", *all);
    for (int n = 0; n < crease_rpca_used(fit)->shape.order; n++)
        if (crease_rpca_center(fit, n))
            crs_line("center", "one constant for every index of mode %d, in center_%d.npy", n,
                     n + 1);
    print_noise(fit, f);
    if (f->constant_in == 0) return;
    for (int n = 0; !one && n < CREASE_MAX_ORDER; n++)
        if (f->constant_in >> n & 1) snprintf(modes, sizeof modes, "%d", n); /* the only one */
    crs_line("note", "the largest component is constant to %.2g %%%s; --center %s would leave %td",
             100 * f->constant_to, one ? "" : " but for one mode", modes, f->terms - 1);
}
