/* SPDX-License-Identifier: MIT
 * existence: is there an answer at all? Feasibility; a stationary point (Assumption 1.1), which
 * bounded level sets give; and for the slack of the extension bounded multipliers
 *
 * Theorem 4.2 lets mu grow until |lambda|/mu <= eps, so the multipliers must stay bounded while x
 * does. Assumption 4.1 is one condition for that. Another: let every r_i be Lipschitz near the
 * iterates and every X_i a polyhedron, xf the feasible point nearest to x, |xf - x| <= H |A x - b|
 * (Hoffman, On approximate solutions of systems of linear inequalities, 1952). Stationarity in x
 * tested against xf, with y = b - A x and lambda = mu y, says <lambda, y> <= G |xf - x|, G a bound
 * of f's and the r_i's slopes, hence |lambda| <= G H. */
#include "method/method.h"
#include "set/set.h"
#include "theory/theory.h"

/* Does r go to infinity with |x|? */
static bool is_coercive(const crease_reg *r, const crease_space *s)
{
    if (!r->ops) return false;
    if (r->ops->kind == CREASE_KIND_SCALED) return r->par[0] > 0 && is_coercive(r->data, s);
    if (r->ops->kind == CREASE_KIND_RANGE) return isfinite(r->par[0]) && isfinite(r->par[1]);
    if (r->ops->kind == CREASE_KIND_OTHER || !r->penalty) return false;
    const ptrdiff_t n = r->groups ? r->groups->count : crease_size(s);
    for (ptrdiff_t j = 0; r->weight && j < n; j++)
        if (!(r->weight[j] > 0)) return false;
    return r->penalty->value(r->par, 1e150) > r->penalty->value(r->par, 1e100);
}

/* Is f a strictly convex quadratic of block i, plus what the others add? */
static bool is_bowl(const crease_problem *p, int i)
{
    const crease_blocks b = crs_blocks(p);
    crease_constants k;
    return p->f.ops && crease_smooth_constants(&p->f, &b, i, &k, NULL, NULL) && k.separable_last &&
           k.quadratic_last && k.last_low > 0;
}

/* The block that may run away, or -1: one without compact set, coercive r and, where `deep`, a
 * quadratic of its own, while the rest of F is bounded below. One alone with A_i = c I stays where
 * the constraint keeps it. */
static int find_loose(const crease_problem *p, bool deep)
{
    int loose = -1, count = 0;
    double scale;
    for (int i = 0; i < p->count; i++) {
        const crease_set *c = p->block[i].set;
        if (c && c->ops->diameter(c, &p->space[i], 2) < INFINITY) continue;
        const bool coercive = is_coercive(crs_reg_of(p, i), &p->space[i]);
        if (crs_together(p->space[i].comm, coercive, NULL) || (deep && is_bowl(p, i))) continue;
        count++;
        loose = i;
    }
    const bool held =
        count == 1 && crs_in_constraint(p, loose) &&
        crease_map_is_identity(&p->block[loose].map, &p->space[loose], &p->range, &scale) &&
        scale != 0;
    return held ? -1 : loose;
}

/* Is dr bounded on bounded sets, but for the normals of bounds on the entries? */
static bool is_tame(const crease_reg *r, const crease_space *s)
{
    crease_reg_traits t;
    if (!r->ops || r->ops->kind == CREASE_KIND_RANGE) return true;
    if (r->ops->kind == CREASE_KIND_SCALED) return is_tame(r->data, s);
    if (r->penalty) return r->penalty->slope(r->par, 0) < INFINITY;
    r->ops->traits(r, s, 1, &t);
    return t.lipschitz < INFINITY;
}

static void note_level_sets(const crease_problem *p, crease_analysis *a, int loose)
{
    char name[32];
    if (loose < 0 && a->lower > -INFINITY)
        crs_note(a, "level sets bounded", -1, CREASE_PROVED, NAN,
                 "F, or the constraint, grows with every block that has no compact set");
    else
        crs_note(
            a, "level sets bounded", -1, CREASE_UNKNOWN, NAN,
            "nothing keeps block %s bounded; give it a compact set or a regularizer that grows",
            crs_block_name(p, loose < 0 ? 0 : loose, name));
}

static void note_multipliers(const crease_problem *p, crease_analysis *a)
{
    const char *assumption = "multipliers (4.1)";
    char name[32];
    for (int i = 0; i < p->count; i++) {
        const crease_set *c = p->block[i].set;
        if (!crs_in_constraint(p, i)) continue;
        if (!is_tame(crs_reg_of(p, i), &p->space[i])) {
            crs_note(a, assumption, i, CREASE_UNKNOWN, NAN,
                     "the subgradients of %s are unbounded at 0, so the multipliers may be; from a "
                     "feasible start theory mode does without",
                     crs_block_name(p, i, name));
            return;
        }
        if (c && !c->ops->polyhedral) {
            crs_note(a, assumption, i, CREASE_UNKNOWN, NAN,
                     "%s of block %s is no polyhedron; from a feasible start theory mode does "
                     "without",
                     c->ops->name, crs_block_name(p, i, name));
            return;
        }
    }
    crs_note(a, assumption, -1, CREASE_PROVED, NAN,
             "the sets are polyhedra and the subgradients bounded");
}

/* Assumption 1.1. Without bounded level sets the theorem itself has eps-stationary points for every
 * eps > 0, and no more. */
static void note_stationary(crease_analysis *a, crease_status feasible, int loose)
{
    const char *assumption = "stationary point (1.1)";
    if (feasible == CREASE_VIOLATED)
        crs_note(a, assumption, -1, CREASE_VIOLATED, NAN, "there is no feasible point");
    else if (!(a->lower > -INFINITY))
        crs_note(a, assumption, -1, CREASE_UNKNOWN, NAN,
                 "F may fall without end, and then there need be none");
    else if (loose >= 0 && !a->gap)
        crs_note(a, assumption, -1, CREASE_ESTIMATED, NAN,
                 "F is bounded below, so there are eps-stationary points for every eps; whether F "
                 "has a minimizer is open");
    else if (feasible == CREASE_PROVED)
        crs_note(a, assumption, -1, CREASE_PROVED, NAN, "F has a minimizer: bounded level sets");
    else
        crs_note(a, assumption, -1, CREASE_ESTIMATED, NAN,
                 "F has a minimizer if there is a feasible point: bounded level sets");
}

static bool note_feasible(const crease_problem *p, long effort, const crease_watch *watch,
                          crease_analysis *a, crease_status *status, crease_error *e)
{
    crs_feasibility f;
    *status = CREASE_PROVED;
    if (crs_comm_of(p)) effort = 0; /* the checker, which confirms what is found, has one process */
    if (p->range.order == 0) return true;
    if (!crs_seek_feasible(p, NULL, effort, watch, &f, e)) return false;
    *status = f.status;
    if (f.status == CREASE_UNKNOWN && effort == 0) {
        *status = CREASE_ESTIMATED;
        crs_note(a, "feasible", -1, CREASE_ESTIMATED, NAN,
                 "a run has to find a point that satisfies the constraint; crease check seeks one");
    } else {
        crs_note(a, "feasible", -1, f.status, f.status == CREASE_PROVED ? NAN : f.off, "%s",
                 f.text);
    }
    crs_feasibility_free(&f);
    return true;
}

/* The last `count` lines of the analysis become the first; they do not depend on parameters. */
static void to_front(crease_analysis *a, int count)
{
    crease_assumption *at = a->assumption;
    for (int k = a->assumptions - count; k < a->assumptions; k++) {
        const crease_assumption line = at[k];
        const int to = k - (a->assumptions - count);
        memmove(at + to + 1, at + to, (size_t)(k - to) * sizeof *at);
        at[to] = line;
    }
    a->general += count;
}

bool crs_note_existence(const crease_problem *p, long effort, const crease_watch *watch,
                        crease_analysis *a, crease_error *e)
{
    /* a mu that stays is judged by Remark 4.3, in the bound on the iterations */
    const bool grows = !a->mu_fixed || a->mode == CREASE_MODE_PAPER;
    const bool slack = crs_method_at(a->method)->slack;
    const int before = a->assumptions, loose = find_loose(p, effort > 0 || slack);
    crease_status feasible;
    if (!note_feasible(p, effort, watch, a, &feasible, e)) return false;
    note_stationary(a, feasible, loose);
    if (slack && grows) {
        note_level_sets(p, a, loose);
        note_multipliers(p, a);
    }
    to_front(a, a->assumptions - before);
    return true;
}
