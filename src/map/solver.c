/* SPDX-License-Identifier: MIT
 * solver: (d I + beta A'A)^{-1} v = Q (Q'v / (d + beta w)) for A'A = Q diag(w) Q'
 *
 * Q is unit vectors; the cosine transform; the Fourier transform, whose frequencies k and -k share
 * w; the eigenvectors of two small matrices, X -> P'X Q and back; or orthonormal rows R, beside
 * which w = 0, and then x = (v - R'R v)/d + R'(R v / (d + beta w)). */
#include "dense/dense.h"
#include "map/map.h"
#include "transform/transform.h"

struct crease_map_solver {
    crease_gram g;
    ptrdiff_t size;
    crs_cosine *cosine;
    crs_fourier *fourier;
};

bool crs_map_gram(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_gram *g, crease_error *e)
{
    return A->ops->gram ? A->ops->gram(A, dom, ran, g, e) : crs_gram_unknown(A, e);
}

bool crs_gram_unknown(const crease_map *A, crease_error *e)
{
    return crs_fail(e, CREASE_UNSUPPORTED,
                    "%s: (d I + beta A'A)^{-1} has no closed form here; use conjugate gradients",
                    A->ops->name);
}

bool crs_gram_new(crease_gram *g, crease_basis basis, ptrdiff_t count, crease_error *e)
{
    *g = (crease_gram){ .basis = basis, .count = count };
    g->w = crs_doubles(count, "the eigenvalues of a linear map", e);
    return g->w;
}

void crs_gram_free(crease_gram *g)
{
    crs_free(g->w);
    crs_free(g->left);
    crs_free(g->right);
    *g = (crease_gram){ .w = NULL };
}

bool crs_gram_of_isometry(const crease_map *A, const crease_space *dom, const crease_space *ran,
                          crease_gram *g, crease_error *e)
{
    (void)A, (void)ran;
    if (!crs_gram_new(g, CREASE_BASIS_ENTRIES, crease_size(dom), e)) return false;
    fill(g->count, 1, g->w);
    return true;
}

bool crs_gram_of_matrix(ptrdiff_t m, ptrdiff_t n, const double *a, crease_gram *g, crease_error *e)
{
    const ptrdiff_t k = crs_short_side(m, n);
    if (!crs_svd_fits(m, n))
        return crs_fail(e, CREASE_UNSUPPORTED, "a %td x %td matrix is too large to decompose", m,
                        n);
    if (!crs_gram_new(g, CREASE_BASIS_ROWS, k, e)) return false;
    g->rows = k, g->columns = n;
    double *work = crs_doubles(crs_thin_scratch(m, n), "the singular values of a map", e);
    g->left = work ? crs_doubles(k * n, "the singular vectors of a map", e) : NULL;
    crs_thin f;
    const bool done = g->left && (crs_thin_svd(m, n, a, work, &f) ||
                                  crs_fail(e, CREASE_NUMERICAL_FAILURE,
                                           "the singular values of a map were not found; scale its "
                                           "numbers"));
    for (ptrdiff_t j = 0; done && j < k; j++) g->w[j] = square(f.s[j]);
    if (done) copy(k * n, f.vt, g->left);
    crs_free(work);
    return done;
}

crease_map_solver *crease_map_solver_new(const crease_map *A, const crease_space *dom,
                                         const crease_space *ran, crease_error *e)
{
    if (!crease_map_check(A, dom, ran, e)) return NULL;
    crease_map_solver *s = crs_alloc(1, sizeof *s);
    if (!s) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a solver"), NULL;
    s->size = crease_size(dom);
    bool done = crs_map_gram(A, dom, ran, &s->g, e);
    if (done && s->g.basis == CREASE_BASIS_COSINE)
        done = (s->cosine = crs_cosine_new(dom, e)) != NULL;
    if (done && s->g.basis == CREASE_BASIS_FOURIER)
        done = (s->fourier = crs_fourier_new(dom, e)) != NULL;
    if (done) return s;
    crease_map_solver_free(s);
    return NULL;
}

void crease_map_solver_free(crease_map_solver *s)
{
    if (!s) return;
    crs_gram_free(&s->g);
    crs_cosine_free(s->cosine);
    crs_fourier_free(s->fourier);
    crs_free(s);
}

ptrdiff_t crease_map_solver_scratch(const crease_map_solver *s)
{
    switch (s->g.basis) {
    case CREASE_BASIS_FOURIER:
        return 2 * s->g.count;
    case CREASE_BASIS_COSINE:
        return s->size;
    case CREASE_BASIS_PAIR:
        return 2 * s->size;
    case CREASE_BASIS_ROWS:
        return 2 * s->g.rows;
    default:
        return 0;
    }
}

static void divide(const crease_gram *g, double d, double beta, const double *v, double *x)
{
    for (ptrdiff_t k = 0; k < g->count; k++) x[k] = v[k] / (d + beta * g->w[k]);
}

static void by_fourier(const crease_map_solver *s, double d, double beta, const double *v,
                       double *x, double *work)
{
    const double n = (double)s->size;
    crs_fourier_forward(s->fourier, v, work);
    for (ptrdiff_t k = 0; k < s->g.count; k++) {
        const double divisor = n * (d + beta * s->g.w[k]);
        work[2 * k] /= divisor, work[2 * k + 1] /= divisor;
    }
    crs_fourier_backward(s->fourier, work, x);
}

/* X = P' ((P V Q') / (d + beta w)) Q with the eigenvectors in the rows of P and Q */
static void by_pair(const crease_map_solver *s, double d, double beta, const double *v, double *x,
                    double *work)
{
    const crease_gram *g = &s->g;
    const ptrdiff_t m = g->rows, n = g->columns;
    double *half = work, *inside = work + s->size;
    crs_gemm(false, false, m, n, m, 1, g->left, v, 0, half);
    crs_gemm(false, true, m, n, n, 1, half, g->right, 0, inside);
    divide(g, d, beta, inside, inside);
    crs_gemm(true, false, m, n, m, 1, g->left, inside, 0, half);
    crs_gemm(false, false, m, n, n, 1, half, g->right, 0, x);
}

/* What is orthogonal to the rows is taken out twice, so that v in their span leaves nothing. */
static void by_rows(const crease_map_solver *s, double d, double beta, const double *v, double *x,
                    double *work)
{
    const crease_gram *g = &s->g;
    double *inside = work, *rest = work + g->rows;
    crs_gemv(false, g->rows, g->columns, 1, g->left, v, 0, inside);
    copy(s->size, v, x);
    crs_gemv(true, g->rows, g->columns, -1, g->left, inside, 1, x);
    crs_gemv(false, g->rows, g->columns, 1, g->left, x, 0, rest);
    crs_gemv(true, g->rows, g->columns, -1, g->left, rest, 1, x);
    for (ptrdiff_t j = 0; j < s->size; j++) x[j] = g->rows < g->columns ? x[j] / d : 0;
    for (ptrdiff_t k = 0; k < g->rows; k++)
        inside[k] = (inside[k] + rest[k]) / (d + beta * g->w[k]);
    crs_gemv(true, g->rows, g->columns, 1, g->left, inside, 1, x);
}

void crease_map_solve(const crease_map_solver *s, double d, double beta, const double *v, double *x,
                      double *work)
{
    switch (s->g.basis) {
    case CREASE_BASIS_FOURIER:
        by_fourier(s, d, beta, v, x, work);
        break;
    case CREASE_BASIS_ROWS:
        by_rows(s, d, beta, v, x, work);
        break;
    case CREASE_BASIS_PAIR:
        by_pair(s, d, beta, v, x, work);
        break;
    case CREASE_BASIS_COSINE:
        crs_cosine_forward(s->cosine, v, work);
        divide(&s->g, d, beta, work, work);
        crs_cosine_backward(s->cosine, work, x);
        break;
    default:
        divide(&s->g, d, beta, v, x);
    }
}
