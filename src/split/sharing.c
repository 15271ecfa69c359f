/* SPDX-License-Identifier: MIT
 * sharing: min l(u) + sum_j r_j(x_j) subject to sum_j A_j x_j + u = y, u last
 *
 * The multiplier is grad l(u). Boyd, Parikh, Chu, Peleato, Eckstein 2011, section 7.3, where r_j
 * and l are convex. */
#include <crease/sharing.h>

#include "core/core.h"
#include "smooth/smooth.h"

struct crease_sharing {
    crease_problem problem;
    crease_space *space;
    crease_block *block;
    double *start; /* of u */
    crease_predictor predictor;
    crease_map map;
    int last;
};

void crease_sharing_free(crease_sharing *m)
{
    if (!m) return;
    crs_free(m->space);
    crs_free(m->block);
    crs_free(m->start);
    crs_free(m);
}

const crease_problem *crease_sharing_problem(const crease_sharing *m) { return &m->problem; }

static bool check(const crease_sharing_settings *s, crease_error *e)
{
    if (s->count < 1 || !s->space || !s->block)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "sharing: there are %d blocks; give at least one",
                        s->count);
    for (int j = 0; j < s->count; j++)
        if (!s->block[j].map.ops)
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "sharing: block %d has no map A_j; give it one, or leave it out",
                            j + 1);
    return crs_loss_check(&s->loss, e) && crease_space_check(&s->range, e);
}

/* u = y - sum_j A_j x_j at the start */
static bool start_feasibly(crease_sharing *m, const double *y, crease_error *e)
{
    const crease_problem *p = &m->problem;
    const ptrdiff_t rows = crease_size(&p->range);
    double *product = crs_doubles(rows, "a start", e);
    bool done = crs_together(p->range.comm, product, e);
    if (y) copy(rows, y, m->start);
    for (int j = 0; j < m->last && done; j++) {
        if (!p->block[j].start) continue;
        done =
            crease_apply(&p->block[j].map, &p->space[j], &p->range, p->block[j].start, product, e);
        if (done) axpy(rows, -1, product, m->start);
    }
    crs_free(product);
    return crs_together(p->range.comm, done, e);
}

static bool build(crease_sharing *m, const crease_sharing_settings *s, crease_error *e)
{
    const size_t count = (size_t)s->count;
    m->space = crs_alloc(count + 1, sizeof *m->space);
    m->block = crs_alloc(count + 1, sizeof *m->block);
    m->start = crs_doubles(crease_size(&s->range), "a start", e);
    const bool room = m->space && m->block && m->start;
    if (!room) crs_fail(e, CREASE_NO_MEMORY, "out of memory: %d blocks", s->count);
    if (!crs_together(s->range.comm, room, e)) return false;
    const bool labels = s->loss.ops && s->loss.ops->labels;
    memcpy(m->space, s->space, count * sizeof *m->space);
    memcpy(m->block, s->block, count * sizeof *m->block);
    m->last = s->count;
    m->space[count] = s->range;
    m->block[count] = (crease_block){ .name = "u", .map = crease_identity(1), .start = m->start };
    m->map = crease_identity(labels ? -1 : 1);
    m->predictor = (crease_predictor){ 1, &m->last, &m->map, s->range, labels ? s->y : NULL, NULL };
    m->problem = (crease_problem){ .count = s->count + 1,
                                   .space = m->space,
                                   .block = m->block,
                                   .f = crs_loss_of(&s->loss, &m->predictor),
                                   .range = s->range,
                                   .rhs = labels ? NULL : s->y };
    return crease_problem_check(&m->problem, e) && start_feasibly(m, m->problem.rhs, e);
}

crease_sharing *crease_sharing_new(const crease_sharing_settings *s, crease_error *e)
{
    const bool right = check(s, e);
    crease_sharing *m = right ? crs_alloc(1, sizeof *m) : NULL;
    if (right && !m) crs_fail(e, CREASE_NO_MEMORY, "out of memory: a model");
    if (crs_together(s->range.comm, m, e) && build(m, s, e)) return m;
    crease_sharing_free(m);
    return NULL;
}
