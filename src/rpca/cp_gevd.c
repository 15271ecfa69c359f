/* SPDX-License-Identifier: MIT
 * cp_gevd: compress the tensor, diagonalize the core, mend it by least squares, expand: X_n = U_n
 * F_n
 *
 * Sanchez, Kowalski, Tensorial resolution: a direct trilinear decomposition, 1990. Where two modes
 * are not as long as the rank: the singular vectors, completed at random, and more sweeps. */
#include <crease/random.h>

#include "rpca/cp_sweep.h"
#include "rpca/start.h"

enum { SWEEPS = 5, FALLBACK_SWEEPS = 50, STREAM = 90 };

/* The modes by length, the longest first. */
static void sort_modes(const crease_space *s, int *mode)
{
    for (int n = 0; n < s->order; n++) {
        int k = n;
        for (; k > 0 && s->dim[mode[k - 1]] < s->dim[n]; k--) mode[k] = mode[k - 1];
        mode[k] = n;
    }
}

/* F_n = the identity, continued at random */
static void singular_vectors(const crs_cp_core *c, uint64_t seed, double *const *factor)
{
    for (int n = 0; n < c->shape.order; n++) {
        const crease_random random = { seed, (uint64_t)(STREAM + n) };
        for (ptrdiff_t j = 0; j < c->shape.dim[n] * c->rank; j++) {
            const ptrdiff_t i = j / c->rank, r = j % c->rank;
            factor[n][j] =
                r >= c->shape.dim[n] ? crease_random_normal(random, (uint64_t)j) : i == r;
        }
    }
}

static bool mend(const crs_cp_core *c, int sweeps, double *const *factor, double *residual,
                 crease_error *e)
{
    crs_cp_sweeper w;
    const double norm = crs_norm(crease_size(&c->shape), c->values);
    const bool ready = crs_cp_sweeper_open(&w, &c->shape, c->rank, c->values, 0, factor, e);
    for (int sweep = 0; ready && sweep < sweeps; sweep++) crs_cp_sweep(&w);
    if (ready) {
        const double left = sqrt(crs_kruskal_distance2(&w.k, c->values, w.work));
        *residual = left / norm;
        crs_cp_balance(&c->shape, c->rank, factor);
    }
    crs_cp_sweeper_close(&w);
    return ready;
}

/* X_n = U_n F_n, and zeros beyond the rank found */
static void expand(const crs_cp_core *c, int n, ptrdiff_t length, ptrdiff_t rank, const double *f,
                   double *out)
{
    const ptrdiff_t p = c->shape.dim[n];
    for (ptrdiff_t i = 0; i < length; i++)
        for (ptrdiff_t r = 0; r < rank; r++) {
            double sum = 0;
            for (ptrdiff_t k = 0; r < c->rank && k < p; k++)
                sum += c->basis[n][i * p + k] * f[k * c->rank + r];
            out[i * rank + r] = sum;
        }
}

static bool solve_core(const crs_cp_core *c, const crs_cp_gevd_options *o, const int *mode,
                       double *const *small, crs_cp_start_facts *facts, crease_error *e)
{
    const double norm = crs_norm(crease_size(&c->shape), c->values);
    facts->rank = c->rank;
    facts->diagonalized = !o->without_pencils && crs_cp_pencils_apply(c, mode);
    facts->residual = 0;
    if (!(norm > 0)) return true; /* the factors are 0 already */
    if (!facts->diagonalized) singular_vectors(c, o->seed, small);
    if (facts->diagonalized && !crs_cp_pencils(c, mode, o->seed, small, e)) return false;
    return mend(c, facts->diagonalized ? SWEEPS : FALLBACK_SWEEPS, small, &facts->residual, e);
}

bool crs_cp_gevd(const crs_cp_view *v, const crs_cp_gevd_options *o, double *const *factor,
                 crs_cp_start_facts *facts, crease_error *e)
{
    const int d = v->shape.order;
    crs_cp_core c;
    crs_cp_start_facts found;
    int mode[CREASE_MAX_ORDER];
    double *small[CREASE_MAX_ORDER] = { NULL };
    sort_modes(&v->shape, mode);
    bool done = crs_cp_compress(v, o->rank, o->cut, o->seed, &c, e);
    for (int n = 0; done && n < d; n++) {
        small[n] = crs_doubles(c.shape.dim[n] * c.rank, "a start", e);
        done = small[n];
    }
    done = done && solve_core(&c, o, mode, small, &found, e);
    for (int n = 0; done && n < d; n++)
        expand(&c, n, v->shape.dim[n], o->rank, small[n], factor[n]);
    if (done && facts) *facts = found;
    for (int n = 0; n < d; n++) crs_free(small[n]);
    crs_cp_core_free(&c);
    return done;
}
