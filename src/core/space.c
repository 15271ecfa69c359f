/* SPDX-License-Identifier: MIT
 * space: sizes computed before anything is allocated, with overflow seen; shapes, and reductions
 * over the ranks that share a vector */
#include "core/core.h"

bool crs_mul_size(ptrdiff_t a, ptrdiff_t b, ptrdiff_t *product)
{
    if (a < 0 || b < 0 || (b > 0 && a > PTRDIFF_MAX / b)) return false;
    *product = a * b;
    return true;
}

bool crs_add_size(ptrdiff_t a, ptrdiff_t b, ptrdiff_t *sum)
{
    if (a < 0 || b < 0 || a > PTRDIFF_MAX - b) return false;
    *sum = a + b;
    return true;
}

double *crs_doubles(ptrdiff_t count, const char *what, crease_error *e)
{
    double *p = count < 0 ? NULL : crs_alloc((size_t)count, sizeof *p);
    if (!p)
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: %s needs %.3g MB; use a smaller problem",
                 what, 8e-6 * (double)count);
    return p;
}

crease_space crease_vector(ptrdiff_t n) { return (crease_space){ .order = 1, .dim = { n } }; }

crease_space crease_matrix(ptrdiff_t m, ptrdiff_t n)
{
    return (crease_space){ .order = 2, .dim = { m, n } };
}

bool crease_space_check(const crease_space *s, crease_error *e)
{
    if (s->order < 1 || s->order > CREASE_MAX_ORDER)
        return crs_fail(e, CREASE_BAD_SHAPE, "a shape has %d dimensions; it may have 1 to %d",
                        s->order, CREASE_MAX_ORDER);
    ptrdiff_t bytes = (ptrdiff_t)sizeof(double);
    for (int n = 0; n < s->order; n++) {
        if (s->dim[n] < 1)
            return crs_fail(e, CREASE_BAD_SHAPE, "dimension %d of a shape is %td; it must be >= 1",
                            n + 1, s->dim[n]);
        if (!crs_mul_size(bytes, s->dim[n], &bytes))
            return crs_fail(
                e, CREASE_BAD_SHAPE,
                "a shape has more entries than memory can address (dimension %d is %td)", n + 1,
                s->dim[n]);
    }
    return true;
}

bool crease_space_equal(const crease_space *a, const crease_space *b)
{
    if (a->order != b->order) return false;
    for (int n = 0; n < a->order; n++)
        if (a->dim[n] != b->dim[n]) return false;
    return true;
}

bool crs_space_refines(const crease_space *fine, const crease_space *coarse)
{
    int k = 0;
    if (fine->order <= coarse->order) return crease_space_equal(fine, coarse);
    for (int n = 0; n < coarse->order; n++) {
        ptrdiff_t product = 1;
        if (k < fine->order) product = fine->dim[k++];
        while (product < coarse->dim[n] && k < fine->order) product *= fine->dim[k++];
        if (product != coarse->dim[n]) return false;
    }
    while (k < fine->order && fine->dim[k] == 1) k++;
    return k == fine->order;
}

ptrdiff_t crease_size(const crease_space *s)
{
    ptrdiff_t n = 1;
    for (int i = 0; i < s->order; i++) n *= s->dim[i];
    return n;
}

double crease_sum(const crease_space *s, double local)
{
    if (s->comm) s->comm->sum(s->comm->self, &local, 1);
    return local;
}

double crease_max(const crease_space *s, double local)
{
    if (s->comm) s->comm->max(s->comm->self, &local, 1);
    return local;
}

void crs_sum_over(const crease_space *s, ptrdiff_t n, double *v)
{
    const ptrdiff_t most = 1 << 30;
    for (ptrdiff_t at = 0; s->comm && at < n; at += most)
        s->comm->sum(s->comm->self, v + at, (int)(n - at < most ? n - at : most));
}

double crs_whole_size(const crease_space *s) { return crease_sum(s, (double)crease_size(s)); }

bool crs_together(const crease_comm *c, bool here, crease_error *e)
{
    double failed = !here;
    if (!c) return here;
    c->max(c->self, &failed, 1);
    if (!here || failed <= 0) return here;
    return crs_fail(e, CREASE_BAD_ARGUMENT,
                    isnan(failed) ? "another rank has left the work that is shared with it; see "
                                    "what it says, and end here too"
                                  : "another rank refuses its part of the problem; see what it "
                                    "says");
}

double crease_dot(const crease_space *s, const double *x, const double *y)
{
    return crease_sum(s, crs_dot(crease_size(s), x, y));
}

double crease_norm(const crease_space *s, const double *x)
{
    const double here = crs_norm(crease_size(s), x);
    return s->comm ? sqrt(crease_sum(s, here * here)) : here;
}

void crs_scale_into_ball(const crease_space *s, double radius, const double *v, double *x)
{
    const double norm = crease_norm(s, v), factor = norm <= radius ? 1 : radius / norm;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) x[j] = factor * v[j];
}

void crs_into_ball(ptrdiff_t n, double radius, const double *v, double *x)
{
    const crease_space s = crease_vector(n);
    crs_scale_into_ball(&s, radius, v, x);
}
