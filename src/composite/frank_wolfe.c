/* SPDX-License-Identifier: MIT
 * frank_wolfe: blocks on compact convex sets of which a linear oracle alone is known
 *
 *     x_i = sum_k weight_k v_k,  w = argmin_{y in X_i} <g_i, y>,  gap = <g_i, x_i - w>,
 *
 * which is the residual of a certificate. A step goes to w, or, where the atoms differ by more than
 * the gap, from the steepest of them to the best one (blended pairwise steps: Tsuji, Tanaka,
 * Pokutta 2022). Then the weights are corrected: Newton steps of F over the simplex of the weights,
 *
 *     min_d  <p, d> + <d, M d>/2,  sum d = 0, weight + d >= 0,  p_k = <g, v_k>, M = V'H V,
 *
 * by an active set, an atom leaving where its weight becomes 0. For a quadratic f that is the exact
 * minimum over the hull of the atoms, so a linear oracle is asked about as often as the answer has
 * atoms. K v_k are kept: trial points cost no product. Every step d passes
 * F(x + t d) <= F(x) - sigma t |<g, d>|, t the minimum of the parabola first, so that F never
 * rises; -<g, d> >= gap, and over K steps that no weight cuts short the least gap falls like
 * 1/sqrt(K) (Lacoste-Julien 2016).
 *
 * Blocks that have a prox take proximal steps between, by test S. */
#include "composite/atoms.h"
#include "composite/cores.h"
#include "core/carve.h"
#include "dense/dense.h"
#include "set/set.h"

enum { MOST_ATOMS = 600, CORRECTIONS = 6, REFRESH = 20, PATIENCE = 40 };

typedef struct {
    const crs_task *task;
    crs_composite *c;
    crs_atoms *face; /* one for each block without a prox */
    int faces, most;
    double *x, *xt, *g, *d, *w;         /* vectors of all coordinates; w: what the oracles say */
    double *u, *ut, *du, *h;            /* of u */
    double *p, *p0, *weight, *way, *v;  /* of atoms */
    double *L, *shift;                  /* the reduced system, and atoms of it */
    double *curvature, *gamma, *oracle; /* blocks; room of the oracles */
    double f, r, ratio, shrink;
    double *gap; /* a face */
    long steps;
    int idle;       /* steps in a row that did not lower F */
    bool quadratic; /* phi'' of all losses is constant */
    ptrdiff_t oracle_room;
    void *memory;
} frank_wolfe;

static double value(const frank_wolfe *s) { return s->f + s->r; }

static void carve(void *self, crs_carver *v)
{
    frank_wolfe *s = self;
    double **of_x[] = { &s->x, &s->xt, &s->g, &s->d, &s->w };
    double **of_u[] = { &s->u, &s->ut, &s->du, &s->h };
    double **of_atoms[] = { &s->p, &s->p0, &s->weight, &s->way, &s->v, &s->shift };
    for (int k = 0; k < 5; k++) *of_x[k] = carve_doubles(v, s->c->n, 1);
    for (int k = 0; k < 4; k++) *of_u[k] = carve_doubles(v, s->c->rows, 1);
    for (int k = 0; k < 6; k++) *of_atoms[k] = carve_doubles(v, s->most, 1);
    s->L = carve_doubles(v, s->most, s->most);
    s->curvature = carve_doubles(v, s->c->count, 1);
    s->gamma = carve_doubles(v, s->c->count, 1);
    s->gap = carve_doubles(v, s->faces, 1);
    s->oracle = carve_doubles(v, s->oracle_room, 1);
    s->face = carve_bytes(v, s->faces, sizeof *s->face);
}

/* ---- Where it stands ---- */

/* w and the gap of one face at the gradient of now. */
static double ask(frank_wolfe *s, int k)
{
    const crs_composite *c = s->c;
    const int i = s->face[k].block;
    const crease_set *set = c->parts.block[i].set;
    const ptrdiff_t at = c->at[i], n = crs_block_size(c, i);
    set->ops->lmo(set, &c->parts.space[i], s->g + at, s->w + at, s->oracle);
    return s->gap[k] = crs_dot(n, s->g + at, s->x + at) - crs_dot(n, s->g + at, s->w + at);
}

/* The gaps by the oracles; by the definition where they end the run. */
static void judge(frank_wolfe *s)
{
    const crs_composite *c = s->c;
    double worst = 0;
    for (int k = 0; k < s->faces; k++)
        worst = larger(worst, pos(ask(s, k)) / s->task->tolerance[s->face[k].block]);
    for (int i = 0; i < c->count; i++)
        if (!c->oracle[i])
            worst = larger(worst, crs_block_residual(c, i, s->x, s->g) / s->task->tolerance[i]);
    s->ratio = worst <= 1 ? crs_residual(c, s->x, s->g, s->task->tolerance) : worst;
}

static bool renew(void *self)
{
    frank_wolfe *s = self;
    const crs_composite *c = s->c;
    s->f = crs_smooth_both(c, s->x, s->u, s->g);
    s->r = crs_nonsmooth_part(c, s->x);
    if (s->faces < c->count && !crs_block_curvatures(c, s->x, s->u, s->curvature, NULL))
        return false;
    s->quadratic = true;
    for (int t = 0; t < c->terms; t++)
        s->quadratic = s->quadratic && (!c->term[t].loss || c->term[t].loss->quadratic);
    for (int k = 0; k < s->faces; k++) s->face[k].known = 0;
    s->shrink = 1;
    s->idle = 0;
    judge(s);
    return true;
}

/* ---- A step along d ---- */

/* phi'' a row where the loss does not tell it: by differences of phi', steps of 1e-5. */
static void differ(frank_wolfe *s, const crs_term *t)
{
    double *h = s->h + t->at, *at = s->ut + t->at, *low = s->du + t->at;
    const double *u = s->u + t->at;
    for (ptrdiff_t j = 0; j < t->rows; j++) at[j] = u[j] - 1e-5 * (1 + fabs(u[j]));
    crs_term_slope(t, at, low);
    for (ptrdiff_t j = 0; j < t->rows; j++) at[j] = u[j] + 1e-5 * (1 + fabs(u[j]));
    crs_term_slope(t, at, h);
    for (ptrdiff_t j = 0; j < t->rows; j++) h[j] = (h[j] - low[j]) / (2e-5 * (1 + fabs(u[j])));
}

/* phi'' a row at u, 0 in the rows of quadratic forms. */
static void bend(frank_wolfe *s)
{
    for (int t = 0; t < s->c->terms; t++) {
        const crs_term *term = &s->c->term[t];
        if (!term->loss)
            fill(term->rows, 0, s->h + term->at);
        else if (!crs_term_curve(term, s->u + term->at, s->h + term->at))
            differ(s, term);
    }
}

/* <d, H d>; h is at hand. */
static double bend_along(const frank_wolfe *s)
{
    const crs_composite *c = s->c;
    double sum = 0;
    for (ptrdiff_t j = 0; j < c->rows; j++) sum += s->h[j] * square(s->du[j]);
    for (int t = 0; t < c->terms; t++)
        if (!c->term[t].loss) sum += c->term[t].weight * crs_dot(c->n, s->d, s->du + c->term[t].at);
    return sum;
}

/* How far to go along d, at most `most`; x and u follow. 0: nowhere. */
static double go(frank_wolfe *s, double slope, double most)
{
    const crs_composite *c = s->c;
    const double bent = bend_along(s);
    double t = bent > 0 ? smaller(most, -slope / bent) : most;
    if (!(slope < 0)) return 0;
    for (int k = 0; k < 60; k++) {
        for (ptrdiff_t j = 0; j < c->n; j++) s->xt[j] = s->x[j] + t * s->d[j];
        for (ptrdiff_t j = 0; j < c->rows; j++) s->ut[j] = s->u[j] + t * s->du[j];
        const double f = crs_smooth_part(c, s->xt, s->ut);
        if (crs_accepted(value(s), f + s->r, -t * slope)) {
            double *x = s->x, *u = s->u;
            s->x = s->xt, s->xt = x, s->u = s->ut, s->ut = u;
            s->f = f;
            return t;
        }
        const double above = 2 * (f - s->f - t * slope);
        t *= above > 0 ? clip(-slope * t / above, 0.1, 0.5) : 0.5;
    }
    return 0;
}

/* Atoms with new weights: x anew from them, the gradient too. */
static void settle(frank_wolfe *s, crs_atoms *a)
{
    crs_atoms_prune(a);
    crs_atoms_point(a, s->x);
    crs_smooth_slope(s->c, s->x, s->u, s->g);
}

/* The d of a change of weights, and K d. */
static void combine(frank_wolfe *s, const crs_atoms *a, const double *change)
{
    fill(s->c->n, 0, s->d);
    fill(s->c->rows, 0, s->du);
    for (int k = 0; k < a->count; k++) {
        if (change[k] == 0) continue;
        crs_atom_spread(a->atom[k], change[k], s->d);
        axpy(s->c->rows, change[k], a->atom[k]->u, s->du);
    }
    s->c->work->entries += (double)a->count * (double)s->c->rows;
}

static void slopes(const frank_wolfe *s, const crs_atoms *a)
{
    for (int k = 0; k < a->count; k++) s->p[k] = crs_atom_dot(a->atom[k], s->g);
}

/* To w, and it is an atom from then on. */
static bool go_far(frank_wolfe *s, int k)
{
    crs_atoms *a = &s->face[k];
    const int at = crs_atoms_add(a, s->w + s->c->at[a->block], 0);
    if (at < 0) return false;
    for (int j = 0; j < a->count; j++) s->way[j] = -a->weight[j];
    s->way[at] += 1;
    combine(s, a, s->way);
    const double t = go(s, -s->gap[k], 1);
    for (int j = 0; j < a->count; j++) a->weight[j] = t == 1 ? 0 : (1 - t) * a->weight[j];
    a->weight[at] += t;
    settle(s, a);
    return t > 0;
}

/* From the steepest atom to the best, or to w. */
static bool advance(frank_wolfe *s, int k)
{
    crs_atoms *a = &s->face[k];
    int worst = 0, best = 0;
    bend(s);
    slopes(s, a);
    for (int j = 1; j < a->count; j++) {
        if (s->p[j] > s->p[worst]) worst = j;
        if (s->p[j] < s->p[best]) best = j;
    }
    const double apart = s->p[worst] - s->p[best];
    if (!(apart >= s->gap[k])) return go_far(s, k);
    fill(a->count, 0, s->way);
    s->way[worst] = -1, s->way[best] = 1;
    combine(s, a, s->way);
    const double most = a->weight[worst], t = go(s, -apart, most);
    a->weight[best] += t;
    a->weight[worst] = t == most ? 0 : most - t;
    settle(s, a);
    return t > 0;
}

/* ---- The weights ---- */

/* d of the equality problem on the atoms with a weight, the heaviest taken out of sum d = 0:
 * d_k, k != r, from M_kl - M_kr - M_rl + M_rr. */
static bool solve(frank_wolfe *s, const crs_atoms *a, double *way)
{
    int m = 0, r = 0;
    double top = 0;
    for (int k = 1; k < a->count; k++)
        if (s->weight[k] > s->weight[r]) r = k;
    for (int k = 0; k < a->count; k++)
        if (k != r && s->weight[k] > 0) s->shift[m++] = (double)k;
    for (int attempt = 0; attempt < 11 && m > 0; attempt++) {
        for (int i = 0; i < m; i++)
            for (int j = 0; j <= i; j++) {
                const int k = (int)s->shift[i], l = (int)s->shift[j];
                s->L[i * m + j] = a->gram[k * a->most + l] - a->gram[k * a->most + r] -
                                  a->gram[l * a->most + r] + a->gram[r * a->most + r];
                if (i == j) top = larger(top, fabs(s->L[i * m + i]));
            }
        const double extra = (top > 0 ? top : 1) * 1e-11 * pow(30, attempt);
        for (int i = 0; i < m; i++) {
            s->L[i * m + i] += extra;
            s->v[i] = s->p[r] - s->p[(int)s->shift[i]];
        }
        s->c->work->entries += (double)m * m * m / 6;
        if (!crs_cholesky(m, s->L)) continue;
        crs_cholesky_solve(m, s->L, 1, s->v);
        fill(a->count, 0, way);
        for (int i = 0; i < m; i++) {
            way[(int)s->shift[i]] = s->v[i];
            way[r] -= s->v[i];
        }
        return true;
    }
    return false;
}

/* s->weight moves along `way` up to 1; false: an atom stopped it. */
static bool move(frank_wolfe *s, const crs_atoms *a, const double *way)
{
    double t = 1;
    int first = -1;
    for (int k = 0; k < a->count; k++)
        if (way[k] < 0 && s->weight[k] + t * way[k] <= 0) {
            t = -s->weight[k] / way[k];
            first = k;
        }
    for (int k = 0; k < a->count; k++) {
        double sum = 0;
        s->weight[k] = s->weight[k] > 0 ? pos(s->weight[k] + t * way[k]) : 0;
        for (int l = 0; l < a->count; l++) sum += a->gram[k * a->most + l] * way[l];
        s->p[k] += t * sum;
    }
    if (first >= 0) s->weight[first] = 0;
    s->c->work->entries += (double)a->count * a->count;
    return first < 0;
}

/* One Newton step of the weights; false: it does not lead lower. */
static bool correct(frank_wolfe *s, crs_atoms *a)
{
    double slope = 0;
    if (a->count < 2) return false;
    bend(s);
    crs_atoms_bend(a, s->h, !s->quadratic);
    slopes(s, a);
    copy(a->count, s->p, s->p0);
    copy(a->count, a->weight, s->weight);
    for (int k = 0; k < a->count; k++) {
        if (crease_watch_over(s->c->watch) || !solve(s, a, s->way)) break;
        if (move(s, a, s->way)) break;
    }
    for (int k = 0; k < a->count; k++) {
        s->way[k] = s->weight[k] - a->weight[k];
        slope += s->p0[k] * s->way[k];
    }
    combine(s, a, s->way);
    const double t = go(s, slope, 1);
    for (int k = 0; k < a->count; k++)
        a->weight[k] = t == 1 ? s->weight[k] : a->weight[k] + t * s->way[k];
    if (t > 0) settle(s, a);
    return t > 0;
}

/* max p - min p over the atoms: how far their weights are from the best */
static double apart(const frank_wolfe *s, const crs_atoms *a)
{
    double low = INFINITY, high = -INFINITY;
    slopes(s, a);
    for (int k = 0; k < a->count; k++) {
        low = smaller(low, s->p[k]);
        high = larger(high, s->p[k]);
    }
    return high - low;
}

/* ---- Blocks with a prox ---- */

static bool relax(frank_wolfe *s)
{
    const crs_composite *c = s->c;
    for (; s->shrink > 1e-30 && !crease_watch_over(c->watch); s->shrink /= 2) {
        double D = 0;
        copy(c->n, s->x, s->xt);
        for (int i = 0; i < c->count; i++) {
            if (c->oracle[i]) continue;
            const double gamma = smaller(s->shrink / s->curvature[i], 0.99 * c->step[i]);
            for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++) s->d[j] = s->x[j] - gamma * s->g[j];
            crs_prox_block(c, i, gamma, s->d + c->at[i], s->xt + c->at[i]);
            for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++)
                D += square(s->xt[j] - s->x[j]) / gamma;
        }
        crs_products(c, s->xt, s->ut);
        const double f = crs_smooth_part(c, s->xt, s->ut), r = crs_nonsmooth_part(c, s->xt);
        if (!crs_accepted(value(s), f + r, D)) continue;
        double *x = s->x, *u = s->u;
        s->x = s->xt, s->xt = x, s->u = s->ut, s->ut = u;
        s->f = f, s->r = r;
        s->shrink = smaller(1.1 * s->shrink, 1.9);
        crs_smooth_slope(c, s->x, s->u, s->g);
        return true;
    }
    return false;
}

/* ---- The core ---- */

static crs_core_state step(void *self)
{
    frank_wolfe *s = self;
    const double before = value(s);
    if (s->ratio <= 1) judge(s); /* tolerances may have changed */
    if (s->ratio <= 1) return CRS_CORE_DONE;
    if (!(fabs(before) < INFINITY) || isnan(s->ratio)) return CRS_CORE_STUCK;
    for (int k = 0; k < s->faces; k++) {
        if (crease_watch_over(s->c->watch)) return CRS_CORE_STUCK;
        if (!((k > 0 ? ask(s, k) : s->gap[k]) > 0)) continue;
        advance(s, k);
        for (int j = 0; j < CORRECTIONS && correct(s, &s->face[k]); j++)
            if (!(apart(s, &s->face[k]) > 0.1 * s->gap[k])) break;
    }
    if (s->faces < s->c->count && !relax(s)) return CRS_CORE_STUCK;
    if (++s->steps % REFRESH == 0) s->f = crs_smooth_both(s->c, s->x, s->u, s->g);
    judge(s);
    s->idle = value(s) < before - 1e-14 * fabs(before) ? 0 : s->idle + 1;
    if (s->ratio <= 1) return CRS_CORE_DONE;
    return s->idle > PATIENCE ? CRS_CORE_STUCK : CRS_CORE_GOES_ON;
}

static void stand(const void *self, crs_standing *out)
{
    const frank_wolfe *s = self;
    *out =
        (crs_standing){ .x = s->x, .objective = value(s), .ratio = s->ratio, .u = s->u, .g = s->g };
}

static void close(void *self)
{
    frank_wolfe *s = self;
    if (!s) return;
    for (int k = 0; s->memory && k < s->faces; k++) crs_atoms_close(&s->face[k]);
    crs_free(s->memory);
    crs_free(s);
}

/* An answer has at most one atom more than coordinates. */
static int most_atoms(const crs_composite *c)
{
    ptrdiff_t n = 0;
    for (int i = 0; i < c->count; i++)
        if (c->oracle[i] && crs_block_size(c, i) > n) n = crs_block_size(c, i);
    return n + 2 < MOST_ATOMS ? (int)n + 2 : MOST_ATOMS;
}

static bool open_faces(frank_wolfe *s)
{
    const crs_composite *c = s->c;
    int k = 0;
    copy(c->n, s->task->start, s->x);
    for (int i = 0; i < c->count; i++)
        if (c->oracle[i] && !crs_atoms_open(&s->face[k++], c, i, s->most, s->x)) return false;
    return renew(s);
}

static void *open(const crs_task *task, crease_error *e)
{
    const crs_composite *c = task->c;
    frank_wolfe *s = crs_alloc(1, sizeof *s);
    if (s) {
        *s = (frank_wolfe){ .task = task, .c = task->c, .most = most_atoms(c) };
        for (int i = 0; i < c->count; i++) {
            if (!c->oracle[i]) continue;
            const crease_set *set = c->parts.block[i].set;
            const ptrdiff_t room = crease_set_scratch(set, &c->parts.space[i]);
            if (room > s->oracle_room) s->oracle_room = room;
            s->faces++;
        }
        s->memory = carve_block(carve, s);
    }
    if (s && s->memory && open_faces(s)) return s;
    crs_fail(e, CREASE_NO_MEMORY, "out of memory: the atoms of Frank-Wolfe steps");
    close(s);
    return NULL;
}

static bool suits(const crs_composite *c)
{
    int oracles = 0;
    for (int i = 0; i < c->count; i++) {
        const crease_set *set = c->parts.block[i].set;
        if (!c->oracle[i]) continue;
        oracles++;
        if (crs_reg_of(&c->parts, i)->penalty != &crs_zero || set->ops->nonconvex ||
            !(set->ops->diameter(set, &c->parts.space[i], 2) < INFINITY))
            return false;
    }
    return !c->constraint && oracles > 0;
}

const crs_core crs_core_frank_wolfe = {
    .name = "frank-wolfe",
    .needs = "no constraint, and a block without a regularizer on a compact convex set that has a "
             "linear oracle and no projection",
    .patience = 10,
    .suits = suits,
    .open = open,
    .step = step,
    .stand = stand,
    .renew = renew,
    .close = close,
};
