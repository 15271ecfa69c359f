/* SPDX-License-Identifier: MIT
 * gauss_model: a factorization about a point by its Gram matrices, and its minimizer
 *
 * q(z) = <g, z - x> + (1/2)<z - x, B(z - x)> + r(z) is lowered by at most ROUNDS rounds of: a plain
 * proximal step t with gamma_n = 1/(2 d lambda_max(H_n) + ridge + mu), which majorizes B since
 * |J e|^2 <= d sum_n |J_n e_n|^2; conjugate gradients for q on the coordinates that t leaves free
 * (at no kink, on no bound), preconditioned by the exact inverse of each row of each factor; the
 * step clipped to the bounds and to the signs of t, shortened until q does not rise. It ends when
 * the plain step is ACCURACY times the first. */
#include "factor/gauss.h"

#include "dense/dense.h"

enum { ROUNDS = 12, CONJUGATE = 25, SHORTENED = 6 };
static const double ACCURACY = 0.1, CONJUGATE_ACCURACY = 0.05, SHORTER = 0.3;

bool crs_gauss_of(const crs_composite *c, crs_gauss *m)
{
    const crease_blocks b = crs_blocks(&c->parts);
    crease_cp_data cp;
    *m = (crs_gauss){ .c = c };
    if (c->terms > 0 || !c->rest.ops || !c->rest.ops->as_cp || !crs_all_separable(c)) return false;
    if (!c->rest.ops->as_cp(&c->rest, &b, &cp, m->block)) return false;
    if (cp.z >= 0 || c->count != cp.shape.order) return false;
    m->order = cp.shape.order;
    m->rank = cp.rank;
    m->square = cp.rank * cp.rank;
    m->ridge = cp.ridge;
    for (int n = 0; n < m->order; n++) {
        for (int k = 0; k < n; k++)
            if (m->block[k] == m->block[n]) return false;
        m->dim[n] = cp.shape.dim[n];
        m->at[n] = c->at[m->block[n]];
        m->lines += cp.shape.dim[n];
    }
    return true;
}

void crs_gauss_carve(crs_gauss *m, crs_carver *v)
{
    double **vector[] = { &m->z,   &m->gz,   &m->t,    &m->y, &m->gy, &m->w, &m->d, &m->free,
                          &m->low, &m->high, &m->bend, &m->r, &m->p,  &m->q, &m->s };
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
        *vector[k] = carve_doubles(v, m->c->n, 1);
    m->gram = carve_doubles(v, m->order, m->square);
    m->other = carve_doubles(v, m->order, m->square);
    m->pair = carve_doubles(v, m->order * m->order, m->square);
    m->cross = carve_doubles(v, m->order, m->square);
    m->mixed = carve_doubles(v, m->square, 1);
    m->gamma = carve_doubles(v, m->order, 1);
    m->room = carve_doubles(v, crs_eigh_scratch(m->rank) + 2 * m->rank, 1);
    m->inverse = carve_doubles(v, m->lines, m->square);
    m->of_line = carve_bytes(v, m->lines, sizeof *m->of_line);
}

static void multiply(ptrdiff_t n, const double *x, double *y)
{
    for (ptrdiff_t j = 0; j < n; j++) y[j] *= x[j];
}

bool crs_gauss_at(crs_gauss *m, const double *x, const double *g)
{
    const ptrdiff_t size = m->square;
    m->x = x;
    m->g = g;
    for (int n = 0; n < m->order; n++)
        crs_gram(m->dim[n], m->rank, x + m->at[n], m->gram + n * size);
    for (int i = 0; i < m->order; i++) {
        double *other = m->other + i * size, *eigen = m->room;
        fill(size, 1, other);
        for (int j = 0; j < m->order; j++) {
            double *pair = m->pair + (i * m->order + j) * size;
            if (j != i) multiply(size, m->gram + j * size, other);
            fill(size, 1, pair);
            for (int k = 0; k < m->order; k++)
                if (k != i && k != j) multiply(size, m->gram + k * size, pair);
        }
        if (!crs_eigh(m->rank, other, eigen, NULL, m->room + m->rank)) return false;
        m->steep[i] = 2 * pos(eigen[m->rank - 1]) + m->ridge;
    }
    return true;
}

/* out += B d */
static void add_product(const crs_gauss *m, const double *d, double *out)
{
    const ptrdiff_t R = m->rank, size = m->square;
    for (int n = 0; n < m->order; n++)
        crs_gemm(true, false, R, R, m->dim[n], 1, d + m->at[n], m->x + m->at[n], 0,
                 m->cross + n * size);
    for (int i = 0; i < m->order; i++) {
        const double *own = d + m->at[i];
        double *to = out + m->at[i];
        fill(size, 0, m->mixed);
        for (int j = 0; j < m->order; j++) {
            const double *c = m->cross + j * size, *G = m->pair + (i * m->order + j) * size;
            for (ptrdiff_t k = 0; j != i && k < size; k++) m->mixed[k] += c[k] * G[k];
        }
        crs_gemm(false, false, m->dim[i], R, R, 2, own, m->other + i * size, 1, to);
        crs_gemm(false, false, m->dim[i], R, R, 2, m->x + m->at[i], m->mixed, 1, to);
        axpy(m->dim[i] * R, m->ridge + m->mu, own, to);
    }
    m->c->work->entries += 2 * (double)m->c->n;
}

/* q at a point with the slope gz of its quadratic part */
static double value_at(const crs_gauss *m, const double *z, const double *gz)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < m->c->n; j++) sum += (m->g[j] + gz[j]) * (z[j] - m->x[j]);
    return sum / 2 + crs_nonsmooth_part(m->c, z);
}

/* t = prox(z - gamma gz); returns |(t - z)/gamma|. */
static double plain_step(crs_gauss *m)
{
    const crs_composite *c = m->c;
    double sum = 0;
    for (int n = 0; n < m->order; n++) {
        const int i = m->block[n];
        const double fit = m->steep[n] - m->ridge, L = m->order * fit + m->ridge + m->mu;
        const double gamma = smaller(1 / L, 0.99 * c->step[i]);
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++) m->s[j] = m->z[j] - gamma * m->gz[j];
        crs_prox_block(c, i, gamma, m->s + c->at[i], m->t + c->at[i]);
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++)
            sum += square((m->t[j] - m->z[j]) / gamma);
    }
    return sqrt(sum);
}

/* What t leaves free, how far each may go, and how r bends there. */
static void find_free(crs_gauss *m)
{
    for (ptrdiff_t j = 0; j < m->c->n; j++) {
        const crs_coordinate *k = &m->c->by[j];
        const double t = m->t[j];
        const bool held = crs_is_held(k, t);
        m->free[j] = held ? 0 : 1;
        m->low[j] = k->kink && t > 0 ? larger(k->low, 0) : k->low;
        m->high[j] = k->kink && t < 0 ? smaller(k->high, 0) : k->high;
        m->bend[j] = held ? 0 : pos(crs_coordinate_curve(k, t));
    }
}

/* a (k x k, symmetric positive definite) becomes its inverse; false: a pivot is not positive. */
static bool invert(ptrdiff_t k, double *a)
{
    for (ptrdiff_t p = 0; p < k; p++) {
        double *pivot = a + p * k;
        const double scale = 1 / pivot[p];
        if (!(scale > 0 && scale < INFINITY)) return false;
        pivot[p] = 1;
        for (ptrdiff_t j = 0; j < k; j++) pivot[j] *= scale;
        for (ptrdiff_t i = 0; i < k; i++) {
            double *row = a + i * k;
            if (i == p) continue;
            const double factor = row[p];
            row[p] = 0;
            for (ptrdiff_t j = 0; j < k; j++) row[j] -= factor * pivot[j];
        }
    }
    return true;
}

/* The free part of 2 H_n + (ridge + mu) I + diag(bend) for one row of X_n, inverted and packed. */
static bool invert_line(const crs_gauss *m, int n, ptrdiff_t from, double *a)
{
    const ptrdiff_t R = m->rank;
    const double *H = m->other + n * m->square, *free = m->free + from;
    ptrdiff_t k = 0, entries = 0;
    for (ptrdiff_t i = 0; i < R; i++) {
        for (ptrdiff_t j = 0; free[i] != 0 && j < R; j++)
            if (free[j] != 0) a[entries++] = 2 * H[i * R + j];
        k += free[i] != 0;
    }
    for (ptrdiff_t i = 0, at = 0; i < R; i++)
        if (free[i] != 0) {
            a[at] += m->ridge + m->mu + m->bend[from + i];
            at += k + 1;
        }
    return invert(k, a);
}

/* Rows that are free in the same places and bend alike share an inverse with the one before. */
static bool invert_lines(crs_gauss *m)
{
    const ptrdiff_t R = m->rank;
    const size_t bytes = (size_t)R * sizeof(double);
    ptrdiff_t count = 0;
    for (int n = 0; n < m->order; n++)
        for (ptrdiff_t line = 0; line < m->dim[n]; line++, count++) {
            const ptrdiff_t from = m->at[n] + line * R;
            m->of_line[count] = m->inverse + count * m->square;
            if (line > 0 && memcmp(m->free + from, m->free + from - R, bytes) == 0 &&
                memcmp(m->bend + from, m->bend + from - R, bytes) == 0)
                m->of_line[count] = m->of_line[count - 1];
            else if (!invert_line(m, n, from, m->of_line[count]))
                return false;
        }
    return true;
}

/* s = the rows' inverses applied to r */
static void precondition(crs_gauss *m)
{
    const ptrdiff_t R = m->rank;
    double *packed = m->room, *sum = packed + R;
    ptrdiff_t count = 0;
    fill(m->c->n, 0, m->s);
    for (int n = 0; n < m->order; n++)
        for (ptrdiff_t line = 0; line < m->dim[n]; line++, count++) {
            const ptrdiff_t from = m->at[n] + line * R;
            const double *free = m->free + from, *a = m->of_line[count];
            ptrdiff_t k = 0;
            for (ptrdiff_t j = 0; j < R; j++)
                if (free[j] != 0) packed[k++] = m->r[from + j];
            fill(k, 0, sum);
            for (ptrdiff_t j = 0; j < k; j++) axpy(k, packed[j], a + j * k, sum);
            for (ptrdiff_t j = R - 1; j >= 0; j--)
                if (free[j] != 0) m->s[from + j] = sum[--k];
        }
}

/* d = about -(B + diag(bend))^{-1} (gy + r'(y)) on the free coordinates, 0 elsewhere */
static void conjugate(crs_gauss *m)
{
    const ptrdiff_t n = m->c->n;
    for (ptrdiff_t j = 0; j < n; j++)
        m->r[j] = m->free[j] == 0 ? 0 : -m->gy[j] - crs_coordinate_slope(&m->c->by[j], m->y[j]);
    fill(n, 0, m->d);
    const double goal = CONJUGATE_ACCURACY * crs_norm(n, m->r);
    precondition(m);
    copy(n, m->s, m->p);
    double rs = crs_dot(n, m->r, m->s);
    for (int k = 0; k < CONJUGATE && rs > 0; k++) {
        fill(n, 0, m->q);
        add_product(m, m->p, m->q);
        for (ptrdiff_t j = 0; j < n; j++)
            m->q[j] = m->free[j] == 0 ? 0 : m->q[j] + m->bend[j] * m->p[j];
        const double curve = crs_dot(n, m->p, m->q);
        if (!(curve > 0)) return;
        axpy(n, rs / curve, m->p, m->d);
        axpy(n, -rs / curve, m->q, m->r);
        if (crs_norm(n, m->r) <= goal || crease_watch_over(m->c->watch)) return;
        precondition(m);
        const double next = crs_dot(n, m->r, m->s);
        for (ptrdiff_t j = 0; j < n; j++) m->p[j] = m->s[j] + next / rs * m->p[j];
        rs = next;
    }
}

/* gw += B (w - y), by way of q */
static void carry_slope(crs_gauss *m, const double *w, const double *y, double *gw)
{
    for (ptrdiff_t j = 0; j < m->c->n; j++) m->q[j] = w[j] - y[j];
    add_product(m, m->q, gw);
}

/* z = t, then t + tau d within the bounds where that is lower. */
static void improve(crs_gauss *m)
{
    const ptrdiff_t n = m->c->n;
    double tau = 1;
    copy(n, m->t, m->y);
    copy(n, m->gz, m->gy);
    carry_slope(m, m->y, m->z, m->gy);
    copy(n, m->y, m->z);
    copy(n, m->gy, m->gz);
    const double low = value_at(m, m->y, m->gy);
    if (!invert_lines(m)) return;
    conjugate(m);
    for (int k = 0; k < SHORTENED; k++, tau *= SHORTER) {
        for (ptrdiff_t j = 0; j < n; j++)
            m->w[j] =
                m->free[j] == 0 ? m->y[j] : clip(m->y[j] + tau * m->d[j], m->low[j], m->high[j]);
        copy(n, m->gy, m->gz);
        carry_slope(m, m->w, m->y, m->gz);
        if (value_at(m, m->w, m->gz) <= low) {
            copy(n, m->w, m->z);
            return;
        }
    }
    copy(n, m->gy, m->gz);
}

double crs_gauss_minimize(crs_gauss *m, double *w)
{
    const double begin = crs_nonsmooth_part(m->c, m->x);
    double first = 0;
    copy(m->c->n, m->x, m->z);
    copy(m->c->n, m->g, m->gz);
    for (int k = 0; k < ROUNDS && !crease_watch_over(m->c->watch); k++) {
        const double move = plain_step(m);
        if (k == 0) first = move;
        if (!(move > ACCURACY * first)) break;
        find_free(m);
        improve(m);
    }
    copy(m->c->n, m->z, w);
    return begin - value_at(m, m->z, m->gz);
}
