/* SPDX-License-Identifier: MIT
 * algebra: memory that lives as long as a verification, refusals, small vector operations, the
 * singular value decomposition, and the best assignment
 *
 * A = U diag(s) V' by one-sided Jacobi rotations, which make the columns orthogonal: Hestenes,
 * Inversion of matrices by biorthogonalization and related results, 1958.
 * An assignment: rows one after the other along shortest augmenting paths, with potentials b of the
 * columns. By duality sum_j b_j + sum_i max_j (w_ij - b_j) is never below the maximum, whatever the
 * roundings before, and equals it at the end: Kuhn, The Hungarian method, 1955. */
#include <stdarg.h>
#include <stdio.h>

#include "verify/verify.h"

enum { WORTH_KEEPING = 1 << 20 }; /* bytes that are worth keeping */

typedef union room {
    struct {
        union room *next;
        size_t bytes;
    } head;
    max_align_t align;
} room;

/* A room of this size that was released: new memory costs more than clearing it. */
static room *again(crs_verifier *v, size_t bytes)
{
    room *before = NULL, *r = v->spare;
    for (; r && r->head.bytes != bytes; r = r->head.next) before = r;
    if (!r) return NULL;
    if (before)
        before->head.next = r->head.next;
    else
        v->spare = r->head.next;
    memset(r, 0, bytes);
    return r;
}

bool crs_in_time(crs_verifier *v)
{
    if (!v->unfinished && crease_watch_over(v->watch)) v->unfinished = v->no_memory = true;
    return !v->unfinished;
}

void *crs_room(crs_verifier *v, ptrdiff_t count, size_t size)
{
    const size_t head = (sizeof(room) + size - 1) / size; /* in units of the elements */
    const bool fits = count >= 0 && (size_t)count <= PTRDIFF_MAX / size - head;
    const size_t bytes = fits ? ((size_t)count + head) * size : 0;
    if (!crs_in_time(v)) return NULL;
    room *r = fits ? again(v, bytes) : NULL;
    if (fits && !r) r = crs_alloc((size_t)count + head, size);
    if (!r) return v->no_memory = true, NULL;
    r->head.bytes = bytes;
    r->head.next = v->rooms;
    v->rooms = r;
    return r + 1;
}

real *crs_reals(crs_verifier *v, ptrdiff_t count) { return crs_room(v, count, sizeof(real)); }
num *crs_nums(crs_verifier *v, ptrdiff_t count) { return crs_room(v, count, sizeof(num)); }

num *crs_exact(crs_verifier *v, ptrdiff_t n, const double *x)
{
    num *out = crs_nums(v, n);
    for (ptrdiff_t j = 0; out && j < n; j++) out[j] = exact(x[j]);
    return out;
}

void crs_rooms_release(crs_verifier *v, void *mark)
{
    for (room *r = v->rooms; r && r != mark; r = v->rooms) {
        v->rooms = r->head.next;
        if (r->head.bytes < WORTH_KEEPING) {
            crs_free(r);
            continue;
        }
        r->head.next = v->spare;
        v->spare = r;
    }
}

void crs_rooms_free(crs_verifier *v)
{
    crs_rooms_release(v, NULL);
    for (room *r = v->spare, *next; r; r = next) {
        next = r->head.next;
        crs_free(r);
    }
    v->spare = NULL;
}

bool crs_refuse(crs_verifier *v, const char *format, ...)
{
    va_list arguments;
    if (!v->unsupported) {
        va_start(arguments, format);
        vsnprintf(v->why, sizeof v->why, format, arguments);
        va_end(arguments);
    }
    v->unsupported = true;
    return false;
}

real crs_inner(ptrdiff_t n, const real *x, const real *y)
{
    real sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += x[j] * y[j];
    return sum;
}

real crs_length(ptrdiff_t n, const real *x) { return sqrtl(crs_inner(n, x, x)); }

static const double most_work = 0x1p27; /* of m n min(m,n) */
enum { MOST_SWEEPS = 80 };

static void turn(ptrdiff_t n, real c, real s, real *p, real *q)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        const real a = p[i], b = q[i];
        p[i] = c * a - s * b;
        q[i] = s * a + c * b;
    }
}

/* Rows of w (n long) made orthogonal by rotations that v (k x k) has part in; `off` is the largest
 * single rounding in each row, in norm. */
typedef struct {
    ptrdiff_t n, k;
    real *w, *v, *off;
} rotations;

/* A row that is rounding alone would be turned for ever: it is 0. */
static void drop_noise(const rotations *j, ptrdiff_t p)
{
    if (crs_length(j->n, j->w + p * j->n) > 2 * j->off[p]) return;
    for (ptrdiff_t i = 0; i < j->n; i++) j->w[p * j->n + i] = 0;
    j->off[p] = 0;
}

/* Makes rows p and q orthogonal; false: they were, up to the rounding of their product. */
static bool rotate(const rotations *j, ptrdiff_t p, ptrdiff_t q)
{
    const ptrdiff_t n = j->n, k = j->k;
    real *wp = j->w + p * n, *wq = j->w + q * n, *op = &j->off[p], *oq = &j->off[q];
    const real a = crs_inner(n, wp, wp), b = crs_inner(n, wq, wq), c = crs_inner(n, wp, wq);
    const real la = sqrtl(a), lb = sqrtl(b);
    if (!(fabsl(c) > (real)n * LDBL_EPSILON * la * lb)) return false;
    const real zeta = (b - a) / (2 * c);
    const real t = (zeta < 0 ? -1 : 1) / (fabsl(zeta) + sqrtl(1 + zeta * zeta));
    const real cosine = 1 / sqrtl(1 + t * t), sine = fabsl(cosine * t), before = *op;
    turn(n, cosine, cosine * t, wp, wq);
    turn(k, cosine, cosine * t, j->v + p * k, j->v + q * k);
    const real fresh = LDBL_EPSILON * (cosine * (a < b ? la : lb) + sine * (a < b ? lb : la));
    *op = bigger(fresh, bigger(cosine * *op, sine * *oq));
    *oq = bigger(fresh, bigger(cosine * *oq, sine * before));
    const real small = a < b ? a : b; /* whose square falls by |t c| */
    if (small - fabsl(t * c) < 1e-6L * small) drop_noise(j, a < b ? p : q);
    return true;
}

static bool sweep(crs_verifier *v, const rotations *j)
{
    bool turned = false;
    for (ptrdiff_t p = 0; p < j->k && crs_in_time(v); p++)
        for (ptrdiff_t q = p + 1; q < j->k; q++) turned = rotate(j, p, q) || turned;
    return turned && !v->unfinished;
}

/* The factors from rows of w (the long side n, unnormalized) and of z (k long), largest first. */
static void arrange(crs_svd_real *f, ptrdiff_t n, const real *w, const real *z, real *norm)
{
    real *outer = f->m >= f->n ? f->u : f->v, *inner = f->m >= f->n ? f->v : f->u;
    for (ptrdiff_t j = 0; j < f->k; j++) norm[j] = crs_length(n, w + j * n);
    for (ptrdiff_t j = 0; j < f->k; j++) {
        ptrdiff_t top = 0;
        for (ptrdiff_t p = 1; p < f->k; p++)
            if (norm[p] > norm[top]) top = p;
        f->s[j] = norm[top];
        for (ptrdiff_t i = 0; i < n; i++)
            outer[i * f->k + j] = f->s[j] > 0 ? w[top * n + i] / f->s[j] : 0;
        for (ptrdiff_t i = 0; i < f->k; i++) inner[i * f->k + j] = z[top * f->k + i];
        norm[top] = -1;
    }
}

bool crs_jacobi(crs_verifier *v, ptrdiff_t m, ptrdiff_t n, const real *a, crs_svd_real *out)
{
    const ptrdiff_t k = m < n ? m : n, l = m < n ? n : m;
    if ((double)m * (double)n * (double)k > most_work)
        return crs_refuse(v, "a %td x %td matrix is too large for the checker to decompose", m, n);
    *out = (crs_svd_real){ m, n, k, crs_reals(v, m * k), crs_reals(v, k), crs_reals(v, n * k) };
    real *w = crs_reals(v, k * l), *z = crs_reals(v, k * k), *norm = crs_reals(v, k);
    real *off = crs_reals(v, k);
    if (v->no_memory) return false;
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++) w[m < n ? i * l + j : j * l + i] = a[i * n + j];
    for (ptrdiff_t j = 0; j < k; j++) z[j * k + j] = 1;
    int sweeps = 0;
    const rotations turns = { l, k, w, z, off };
    while (sweep(v, &turns))
        if (++sweeps == MOST_SWEEPS)
            return crs_refuse(v, "the decomposition of a %td x %td matrix did not converge", m, n);
    if (v->unfinished) return false;
    arrange(out, l, w, z, norm);
    return true;
}

enum { NONE = -1, MOST_ROWS = 2048 }; /* of an assignment */

typedef struct {
    ptrdiff_t n;
    const real *w;
    real *a, *b, *least;     /* potentials of rows and columns, reduced costs */
    ptrdiff_t *owner, *from; /* of a column: its row, the column before it on the path */
    bool *done;
} search;

/* Puts `row` into the assignment: column n is where the path starts. */
static void assign(search *s, ptrdiff_t row)
{
    const ptrdiff_t n = s->n;
    ptrdiff_t at = n;
    s->owner[n] = row;
    for (ptrdiff_t j = 0; j <= n; j++) s->least[j] = INFINITY, s->done[j] = false;
    while (s->owner[at] != NONE) {
        const ptrdiff_t i = s->owner[at];
        ptrdiff_t next = NONE;
        s->done[at] = true;
        for (ptrdiff_t j = 0; j < n; j++) {
            if (s->done[j]) continue;
            const real cost = s->a[i] + s->b[j] - s->w[i * n + j];
            if (cost < s->least[j]) s->least[j] = cost, s->from[j] = at;
            if (next == NONE || s->least[j] < s->least[next]) next = j;
        }
        const real step = s->least[next];
        for (ptrdiff_t j = 0; j <= n; j++)
            if (s->done[j])
                s->a[s->owner[j]] -= step, s->b[j] += step;
            else
                s->least[j] -= step;
        at = next;
    }
    for (ptrdiff_t before; at != n; at = before) {
        before = s->from[at];
        s->owner[at] = s->owner[before];
    }
}

bool crs_best_assignment(crs_verifier *v, ptrdiff_t n, const real *w, real *value)
{
    if (n > MOST_ROWS)
        return crs_refuse(v, "an assignment of %td rows is too large for the checker", n);
    search s = { .n = n, .w = w, .a = crs_reals(v, n), .b = crs_reals(v, n + 1) };
    s.least = crs_reals(v, n + 1);
    s.owner = crs_room(v, n + 1, sizeof *s.owner);
    s.from = crs_room(v, n + 1, sizeof *s.from);
    s.done = crs_room(v, n + 1, sizeof *s.done);
    if (v->no_memory) return false;
    for (ptrdiff_t j = 0; j < n; j++) {
        s.owner[j] = NONE;
        s.a[j] = w[j * n];
        for (ptrdiff_t i = 1; i < n; i++) s.a[j] = bigger(s.a[j], w[j * n + i]);
    }
    for (ptrdiff_t i = 0; i < n && crs_in_time(v); i++) assign(&s, i);
    *value = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        real most = w[i * n] - s.b[0];
        for (ptrdiff_t j = 1; j < n; j++) most = bigger(most, w[i * n + j] - s.b[j]);
        *value += most + s.b[i];
    }
    return true;
}
