/* SPDX-License-Identifier: MIT
 * center: the constants that robust PCA removes: the option, center.npy (one for all) or
 * center_N.npy (one for every index of mode N) in the folder, and data with or without them */
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

static void file_of(int n, char name[32])
{
    if (n < 0)
        snprintf(name, 32, "center.npy");
    else
        snprintf(name, 32, "center_%d.npy", n + 1);
}

bool crs_center_write(crs_folder *f, const crease_rpca *fit, crease_error *e)
{
    const crease_space *s = &crease_rpca_used(fit)->shape;
    for (int n = -1; n < s->order; n++) {
        const crease_space shape = crease_vector(n < 0 ? 1 : s->dim[n]);
        const double *value = crease_rpca_center(fit, n);
        char name[32];
        file_of(n, name);
        if (value && !crs_folder_array(f, name, &shape, value, e)) return false;
    }
    return true;
}

crs_center_arrays crs_center_of(const crease_rpca *fit)
{
    crs_center_arrays c = { .shape = crease_rpca_used(fit)->shape };
    for (int n = -1; n < c.shape.order; n++) c.value[n + 1] = crease_rpca_center(fit, n);
    return c;
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
    return true;
}

void crs_center_close(crs_center_arrays *c)
{
    for (int n = 0; n <= CREASE_MAX_ORDER; n++) crs_array_free(&c->own[n]);
}

void crs_center_shift(const crs_center_arrays *c, double sign, ptrdiff_t first, ptrdiff_t count,
                      double *x)
{
    for (int n = -1; n < c->shape.order; n++) {
        const double *value = c->value[n + 1];
        ptrdiff_t right = 1;
        for (int k = n + 1; n >= 0 && k < c->shape.order; k++) right *= c->shape.dim[k];
        for (ptrdiff_t j = 0; value && j < count; j++)
            x[j] += sign * value[n < 0 ? 0 : (first + j) / right % c->shape.dim[n]];
    }
}

double crs_center_size(const crs_center_arrays *c)
{
    double most = 0;
    for (int n = -1; n < c->shape.order; n++) {
        double top = 0;
        for (ptrdiff_t j = 0; c->value[n + 1] && j < (n < 0 ? 1 : c->shape.dim[n]); j++)
            top = larger(top, fabs(c->value[n + 1][j]));
        most += top;
    }
    return most;
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
    if (f->constant_in == 0) return;
    for (int n = 0; !one && n < CREASE_MAX_ORDER; n++)
        if (f->constant_in >> n & 1) snprintf(modes, sizeof modes, "%d", n); /* the only one */
    crs_line("note", "the largest component is constant to %.2g %%%s; --center %s would leave %td",
             100 * f->constant_to, one ? "" : " but for one mode", modes, f->terms - 1);
}
