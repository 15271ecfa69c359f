/* SPDX-License-Identifier: MIT
 * alternation: core B, for two blocks with a prox that f couples by (w/2)|c - a x - b y|^2 alone
 *
 *     x+ = prox_{r/(w a^2)}((c - b y)/a),  y+ = prox_{s/(w b^2)}((c - a x+)/b),
 *
 * each the exact minimizer in its block, x the one whose prox is dear: one decomposition a step. y+
 * is stationary then, and x+ up to |w a b (y+ - y)|, since w a ((c - b y) - a x+) is in dr(x+).
 * Anderson's method makes the next y from the last MEMORY ones (Walker, Ni 2011), zeros of y+
 * kept; where test S does not accept what follows, F(x+, y+) <= F - sigma w b^2 |y+ - y|^2, it
 * begins anew at the last plain point.
 *
 * From a start y = 0 the first points come from the same problem with c/kappa, kappa falling to 1:
 * x/kappa solves it where r is kappa^2 r(x/kappa). Beginning where y is still 0, the large parts of
 * c find their place before the small ones: without that, nonconvex penalties keep what they are
 * given first. The point counts if F is lower there. */
#include "composite/cores.h"
#include "core/carve.h"
#include "dense/dense.h"

enum { MEMORY = 8, DOUBLINGS = 60 };
static const double SLOWLY = 0.7; /* halving loses the way on larger matrices */

typedef struct {
    const crs_task *task;
    crs_composite *c;
    const crs_term *term;
    int first, second;     /* blocks x and y */
    double a, b;           /* their matrices */
    ptrdiff_t n;           /* entries of x, of y and of c */
    double *now, *next;    /* the point that stands, and the one after it */
    double *y, *v, *e, *g; /* of n entries: where the step began; arguments; c - a x - b y */
    double *image, *moved; /* MEMORY rows: y+ and y+ - y of the last steps */
    double *gram, *weight;
    int kept;
    double kappa, F, ratio;
    bool approaching; /* by way of kappa */
    bool leapt;       /* y is Anderson's, not the last y+ */
    void *memory;
} alternation;

static void carve(void *self, crs_carver *v)
{
    alternation *s = self;
    s->now = carve_doubles(v, s->c->n, 1);
    s->next = carve_doubles(v, s->c->n, 1);
    s->y = carve_doubles(v, s->n, 1);
    s->v = carve_doubles(v, s->n, 1);
    s->e = carve_doubles(v, s->n, 1);
    s->g = carve_doubles(v, s->c->n, 1);
    s->image = carve_doubles(v, MEMORY, s->n);
    s->moved = carve_doubles(v, MEMORY, s->n);
    s->gram = carve_doubles(v, MEMORY, MEMORY);
    s->weight = carve_doubles(v, MEMORY, 1);
}

static bool is_zero(ptrdiff_t n, const double *x)
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (x[j] != 0) return false;
    return true;
}

/* One half square of two multiples of I, and nothing else. */
static bool suits(const crs_composite *c)
{
    if (c->constraint || c->count != 2 || c->terms != 1 || c->rest.ops) return false;
    if (!crs_all_proxes(c)) return false;
    const crs_term *t = c->term;
    if (t->loss != &crs_least_squares || t->each || t->parts != 2 || !(t->weight > 0)) return false;
    for (int k = 0; k < 2; k++) {
        const crs_matrix *K = t->part[k].matrix;
        if (K->kind != CRS_SCALAR || K->scale == 0 || t->part[k].row != 0) return false;
        if (!(1 / (t->weight * square(K->scale)) < c->step[t->part[k].block])) return false;
    }
    return t->part[0].block != t->part[1].block && is_zero(c->n, c->linear) &&
           !crs_all_separable(c);
}

static void read_pair(alternation *s)
{
    const crs_term_part *part = s->c->term->part;
    const int dear = s->c->separable[part[0].block] ||
                     (s->c->spectral[part[1].block] && !s->c->spectral[part[0].block]);
    s->term = s->c->term;
    s->first = part[dear].block;
    s->second = part[!dear].block;
    s->a = part[dear].matrix->scale;
    s->b = part[!dear].matrix->scale;
    s->n = s->term->rows;
}

/* block = prox((c - other o)/own) of the problem with c/kappa, times kappa */
static void half_step(alternation *s, int block, double own, double other, const double *o,
                      double *to)
{
    const double *c = s->term->rhs;
    for (ptrdiff_t j = 0; j < s->n; j++)
        s->v[j] = ((c ? c[j] : 0) - other * o[j]) / (own * s->kappa);
    crs_prox_block(s->c, block, 1 / (s->term->weight * square(own)), s->v, to);
    for (ptrdiff_t j = 0; j < s->n && s->kappa != 1; j++) to[j] *= s->kappa;
    s->c->work->entries += 2 * (double)s->n;
}

static double *x_of(const alternation *s, double *z) { return z + s->c->at[s->first]; }
static double *y_of(const alternation *s, double *z) { return z + s->c->at[s->second]; }

/* F of a point, with e = c - a x - b y */
static double value_at(alternation *s, double *z)
{
    const double *c = s->term->rhs, *x = x_of(s, z), *y = y_of(s, z);
    for (ptrdiff_t j = 0; j < s->n; j++) s->e[j] = (c ? c[j] : 0) - s->a * x[j] - s->b * y[j];
    return s->term->weight / 2 * crs_dot(s->n, s->e, s->e) + crs_nonsmooth_part(s->c, z);
}

/* By definition, where no step tells it. */
static void judge(alternation *s)
{
    s->F = value_at(s, s->now);
    for (ptrdiff_t j = 0; j < s->n; j++) {
        x_of(s, s->g)[j] = -s->a * s->term->weight * s->e[j];
        y_of(s, s->g)[j] = -s->b * s->term->weight * s->e[j];
    }
    s->ratio = crs_residual(s->c, s->now, s->g, s->task->tolerance);
}

/* The least power of 2 by which c is divided for y to be 0 where x is; 1 if none is needed. */
static double first_kappa(alternation *s)
{
    double kappa = 1;
    fill(s->n, 0, s->e);
    for (int k = 0; k < DOUBLINGS; k++, kappa *= 2) {
        s->kappa = kappa;
        half_step(s, s->second, s->b, s->a, s->e, y_of(s, s->next));
        if (is_zero(s->n, y_of(s, s->next))) break;
    }
    return kappa < ldexp(1, DOUBLINGS) ? kappa : 1;
}

static bool renew(void *self)
{
    alternation *s = self;
    judge(s);
    copy(s->n, y_of(s, s->now), s->y);
    s->kappa = s->c->separable[s->second] && is_zero(s->n, s->y) ? first_kappa(s) : 1;
    s->approaching = s->kappa > 1;
    s->kept = 0;
    s->leapt = false;
    return true;
}

static void close(void *self)
{
    alternation *s = self;
    if (!s) return;
    crs_free(s->memory);
    crs_free(s);
}

static void *open(const crs_task *task, crease_error *e)
{
    alternation *s = crs_alloc(1, sizeof *s);
    if (s) {
        s->task = task;
        s->c = task->c;
        read_pair(s);
        s->memory = carve_block(carve, s);
    }
    if (s && s->memory) {
        copy(s->c->n, task->start, s->now);
        renew(s);
        return s;
    }
    crs_fail(e, CREASE_NO_MEMORY, "out of memory: a core");
    close(s);
    return NULL;
}

static void swap_points(alternation *s)
{
    double *z = s->now;
    s->now = s->next, s->next = z;
}

/* x+ and y+ of `next` from s->y */
static void both_steps(alternation *s)
{
    half_step(s, s->first, s->a, s->b, s->y, x_of(s, s->next));
    half_step(s, s->second, s->b, s->a, x_of(s, s->next), y_of(s, s->next));
}

/* A step of the problem with c/kappa; the point of the last, for kappa = 1, counts if it is lower.
 */
static void approach(alternation *s)
{
    both_steps(s);
    s->approaching = s->kappa > 1;
    s->kappa = larger(s->kappa * SLOWLY, 1);
    if (!s->approaching && value_at(s, s->next) < s->F) {
        swap_points(s);
        judge(s);
    }
    copy(s->n, y_of(s, s->approaching ? s->next : s->now), s->y);
}

/* Row k of what is kept is that of step k modulo MEMORY. */
static void remember(alternation *s, int k)
{
    const double *y = y_of(s, s->now);
    double *moved = s->moved + k % MEMORY * s->n;
    copy(s->n, y, s->image + k % MEMORY * s->n);
    for (ptrdiff_t j = 0; j < s->n; j++) moved[j] = y[j] - s->y[j];
}

/* The weights of the differences to the last step for which |moved| is least, by normal equations
 * with 1e-12 of their trace on the diagonal; false: there are none. */
static bool weigh(alternation *s, int last, int count)
{
    const double *end = s->moved + last % MEMORY * s->n;
    double trace = 0;
    for (int i = 0; i < count; i++) {
        double *row = s->moved + (last - 1 - i) % MEMORY * s->n;
        for (ptrdiff_t j = 0; j < s->n; j++) s->v[j] = row[j] - end[j];
        s->weight[i] = -crs_dot(s->n, s->v, end);
        for (int k = 0; k <= i; k++) {
            const double *other = s->moved + (last - 1 - k) % MEMORY * s->n;
            s->gram[i * count + k] = crs_dot(s->n, s->v, other) - crs_dot(s->n, s->v, end);
            s->gram[k * count + i] = s->gram[i * count + k];
        }
        trace += s->gram[i * count + i];
    }
    for (int i = 0; i < count; i++) s->gram[i * count + i] += 1e-12 * trace;
    if (count == 0 || !crs_cholesky(count, s->gram)) return false;
    crs_cholesky_solve(count, s->gram, 1, s->weight);
    return true;
}

/* The y of the next step. */
static void leap(alternation *s)
{
    const int last = s->kept++;
    const int count = last < MEMORY - 1 ? last : MEMORY - 1;
    const double *y = y_of(s, s->now), *end = s->image + last % MEMORY * s->n;
    remember(s, last);
    copy(s->n, y, s->y);
    s->leapt = weigh(s, last, count);
    for (int i = 0; s->leapt && i < count; i++) {
        const double *row = s->image + (last - 1 - i) % MEMORY * s->n;
        for (ptrdiff_t j = 0; j < s->n; j++)
            if (y[j] != 0) s->y[j] += s->weight[i] * (row[j] - end[j]);
    }
}

static void begin_anew(alternation *s)
{
    copy(s->n, y_of(s, s->now), s->y);
    s->kept = 0;
    s->leapt = false;
}

static crs_core_state step(void *self)
{
    alternation *s = self;
    double moved = 0;
    if (!s->approaching && s->ratio <= 1) return CRS_CORE_DONE;
    if (s->approaching) {
        while (s->approaching && !crease_watch_over(s->c->watch)) approach(s);
        return CRS_CORE_GOES_ON;
    }
    if (crease_watch_over(s->c->watch)) return CRS_CORE_STUCK;
    both_steps(s);
    const double F = value_at(s, s->next), *y = y_of(s, s->next);
    for (ptrdiff_t j = 0; j < s->n; j++) moved += square(y[j] - s->y[j]);
    const double D = s->leapt ? s->term->weight * square(s->b) * moved : 0;
    if (!crs_accepted(s->F, F, D)) {
        if (!s->leapt) return CRS_CORE_STUCK;
        begin_anew(s);
        return CRS_CORE_GOES_ON;
    }
    swap_points(s);
    s->F = F;
    s->ratio = fabs(s->a * s->b) * s->term->weight * sqrt(moved) / s->task->tolerance[s->first];
    leap(s);
    return s->ratio <= 1 ? CRS_CORE_DONE : CRS_CORE_GOES_ON;
}

static void stand(const void *self, crs_standing *out)
{
    const alternation *s = self;
    *out = (crs_standing){ .x = s->now, .objective = s->F, .ratio = s->ratio };
}

const crs_core crs_core_alternation = {
    .name = "alternation",
    .needs = "two blocks that f couples by one half square of multiples of the identity",
    .suits = suits,
    .open = open,
    .step = step,
    .stand = stand,
    .renew = renew,
    .close = close,
};
