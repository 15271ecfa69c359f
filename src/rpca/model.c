/* SPDX-License-Identifier: MIT
 * model: CP robust PCA as an ordinary problem: settings, data, groups, blocks
 *
 *     min |Z - [[X_1, ..., X_d]]|^2 + alpha R(E) + alpha_N |W o B|^2 + (nu/2) sum |X_n|^2
 *     s.t. Z + E + B = T,  blocks X_1, ..., X_d, E, Z and last B
 *
 * Jiang, Lin, Ma, Zhang 2019, section 5. The quadratic in B makes lambda = 2 alpha_N W o B. */
#include <stdio.h>

#include "reg/reg.h"
#include "rpca/rpca.h"
#include "smooth/fit.h"
#include "tensor/tensor.h"

crease_cp_rpca_settings crease_cp_rpca_default(const crease_space *shape, ptrdiff_t rank)
{
    return (crease_cp_rpca_settings){ .shape = *shape,
                                      .rank = rank,
                                      .penalty = crease_l1(1),
                                      .alpha_noise = 1,
                                      .start = CREASE_START_AUTO,
                                      .sweeps = 20 };
}

static const double most_noise_weight = 1e8;

static bool check_numbers(const crease_cp_rpca_settings *s, crease_error *e)
{
    if (s->rank < 1 || s->rank > CRS_MOST_RANK)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the rank is %td; give 1 to %d", s->rank,
                        CRS_MOST_RANK);
    if (!(s->alpha >= 0 && s->alpha < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "alpha = %g is outside its range: give a number > 0, or 0 for the default",
                        s->alpha);
    if (!(s->alpha_noise > 0 && s->alpha_noise <= most_noise_weight))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "alpha_noise = %g is outside its range: give a number > 0 and at most %g, "
                        "beyond which the noise is lost in the rounding of the data",
                        s->alpha_noise, most_noise_weight);
    if (!(s->ridge >= 0 && s->ridge < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "ridge = %g is outside its range: give a number >= 0", s->ridge);
    if (!(s->clip >= 0))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the start is clipped at %g medians; give a number > 0, or 0 for none",
                        s->clip);
    return s->sweeps >= 0 || crs_fail(e, CREASE_BAD_ARGUMENT,
                                      "the start takes %d sweeps; give a number >= 0", s->sweeps);
}

static bool check_groups(const crease_cp_rpca_settings *s, crease_error *e)
{
    const bool grouped = crs_is_kind(&s->penalty, CREASE_KIND_GROUPS);
    if (s->groups == CREASE_GROUPS_GIVEN) return true;
    if (!grouped)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the penalty has no groups; use one that has, as group-l1, or leave the "
                        "groups out");
    return (s->axis >= 0 && s->axis < s->shape.order) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "the groups go along axis %d; the tensor has axes 0 to %d", s->axis,
                    s->shape.order - 1);
}

bool crs_cp_settings_check(const crease_cp_rpca_settings *s, crease_error *e)
{
    const ptrdiff_t most = PTRDIFF_MAX / (ptrdiff_t)sizeof(double);
    if (!crs_check_shape("CP robust PCA", &s->shape, e) || !check_numbers(s, e)) return false;
    if (s->shape.comm)
        return crs_fail(e, CREASE_UNSUPPORTED, "the tensor is split over ranks; hold it whole");
    for (int n = 0; n < s->shape.order; n++)
        if (s->shape.dim[n] > most / s->rank)
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "a factor of %td x %td is more than can be counted; lower the rank",
                            s->shape.dim[n], s->rank);
    if (!check_groups(s, e)) return false;
    return s->groups != CREASE_GROUPS_GIVEN || !s->penalty.ops ||
           crease_reg_check(&s->penalty, &s->shape, e);
}

ptrdiff_t crease_cp_rpca_size(const crease_cp_rpca_settings *s)
{
    const ptrdiff_t n = crease_size(&s->shape);
    ptrdiff_t factors = 0, most = 0, all;
    for (int k = 0; k < s->shape.order; k++) {
        ptrdiff_t one;
        if (!crs_mul_size(s->shape.dim[k], s->rank, &one) || !crs_add_size(factors, one, &factors))
            return -1;
        most = more(most, one);
        if (crs_unfolding_fits(&s->shape, k))
            most = more(most, 4 * s->shape.dim[k] * s->shape.dim[k]);
    }
    const crease_cp_data cp = { .shape = s->shape, .rank = s->rank, .z = -1 };
    const crease_smooth f = crease_cp(&cp);
    const bool partial = s->missing || s->mask, two = s->groups != CREASE_GROUPS_GIVEN;
    const ptrdiff_t copies = 3 + 2 * partial + s->unconstrained + two + (s->clip > 0);
    if (!crs_mul_size(copies, n, &all) || !crs_add_size(all, factors, &all) ||
        !crs_add_size(all, most, &all) ||
        !crs_add_size(all, crease_smooth_scratch(&f, &(crease_blocks){ 0, NULL, NULL }), &all))
        return -1;
    return all;
}

void crs_cp_place(const crease_space *s, ptrdiff_t j, char *out, size_t size)
{
    ptrdiff_t index[CREASE_MAX_ORDER], rest = j;
    size_t used = (size_t)snprintf(out, size, "entry %td (at ", j + 1);
    for (int n = s->order - 1; n >= 0; n--) index[n] = rest % s->dim[n] + 1, rest /= s->dim[n];
    for (int n = 0; n < s->order && used < size; n++)
        used += (size_t)snprintf(out + used, size - used, "%s%td", n ? "," : "", index[n]);
    if (used < size) snprintf(out + used, size - used, ")");
}

bool crs_cp_seen(const crease_cp_rpca_settings *s, const double *tensor, ptrdiff_t j)
{
    return !(s->missing && isnan(tensor[j])) && !(s->mask && s->mask[j] == 0);
}

static bool bad_entry(const crease_space *s, ptrdiff_t j, double t, crease_error *e)
{
    char where[300];
    crs_cp_place(s, j, where, sizeof where);
    return crs_fail(e, CREASE_BAD_DATA, "%s of the tensor is %s; give finite numbers%s", where,
                    isnan(t) ? "nan"
                    : t > 0  ? "inf"
                             : "-inf",
                    isnan(t) ? ", or let nan mark missing entries (--missing nan)" : "");
}

static bool any_seen(ptrdiff_t missing, const crease_space *s, crease_error *e)
{
    return missing < crease_size(s) ||
           crs_fail(e, CREASE_BAD_DATA,
                    "no entry was observed: all are missing; give data with at least one number");
}

bool crs_cp_check_data(const crease_cp_rpca_settings *s, const double *tensor, ptrdiff_t *missing,
                       crease_error *e)
{
    char where[300];
    *missing = 0;
    for (ptrdiff_t j = 0, n = crease_size(&s->shape); j < n; j++) {
        const double w = s->mask ? s->mask[j] : 1;
        if (w != 0 && w != 1) {
            crs_cp_place(&s->shape, j, where, sizeof where);
            return crs_fail(e, CREASE_BAD_DATA, "%s of the mask is %g; give 0 or 1", where, w);
        }
        const bool seen = crs_cp_seen(s, tensor, j);
        *missing += !seen;
        if (!seen || isfinite(tensor[j])) continue;
        return bad_entry(&s->shape, j, tensor[j], e);
    }
    return any_seen(*missing, &s->shape, e);
}

bool crs_cp_check_facts(const crs_source *t, crease_error *e)
{
    const crease_space *s = &t->cut.shape;
    if (t->facts.bad >= 0) return bad_entry(s, t->facts.bad, t->facts.wrong, e);
    return any_seen(t->facts.missing, s, e);
}

static bool take_data(crease_cp_rpca *m, const double *tensor, crease_error *e)
{
    const crease_cp_rpca_settings *s = &m->s;
    const ptrdiff_t n = crease_size(&s->shape);
    const double root = sqrt(2 * s->alpha_noise);
    if (!crs_cp_check_data(s, tensor, &m->missing, e)) return false;
    m->tensor = crs_doubles(n, "the tensor", e);
    if (m->missing > 0) m->root = crs_doubles(n, "the mask", e);
    if (s->unconstrained) m->scaled = crs_doubles(n, "the weighed tensor", e);
    if (!m->tensor || (m->missing > 0 && !m->root) || (s->unconstrained && !m->scaled))
        return false;
    for (ptrdiff_t j = 0; j < n; j++) {
        const bool here = crs_cp_seen(s, tensor, j);
        m->tensor[j] = here ? tensor[j] : 0;
        if (m->root) m->root[j] = here ? root : 0;
        if (m->scaled) m->scaled[j] = root * m->tensor[j];
    }
    return true;
}

bool crease_rpca_mask(const crease_space *shape, const double *mask, bool nan, double *tensor,
                      crease_error *e)
{
    const crease_cp_rpca_settings s = { .shape = *shape, .mask = mask, .missing = nan };
    ptrdiff_t missing;
    if (!crs_cp_check_data(&s, tensor, &missing, e)) return false;
    for (ptrdiff_t j = 0, n = crease_size(shape); j < n; j++)
        if (!crs_cp_seen(&s, tensor, j)) tensor[j] = NAN;
    return true;
}

/* Groups: with the axis at index k the tensor is left x I_k x right, and entry (l, i, r) has the
 * offset (l I_k + i) right + r. Its fibre is (l, r), its slice is i. */
static void fibres(const crease_space *s, int k, ptrdiff_t *start, ptrdiff_t *index)
{
    const ptrdiff_t left = crs_left(s, k), length = s->dim[k], right = crs_right(s, k);
    for (ptrdiff_t g = 0, at = 0; g < left * right; g++) {
        start[g] = at;
        for (ptrdiff_t i = 0; i < length; i++)
            index[at++] = (g / right * length + i) * right + g % right;
    }
    start[left * right] = left * length * right;
}

static void slices(const crease_space *s, int k, ptrdiff_t *start, ptrdiff_t *index)
{
    const ptrdiff_t left = crs_left(s, k), length = s->dim[k], right = crs_right(s, k);
    for (ptrdiff_t i = 0, at = 0; i < length; i++) {
        start[i] = at;
        for (ptrdiff_t g = 0; g < left * right; g++)
            index[at++] = (g / right * length + i) * right + g % right;
    }
    start[length] = left * length * right;
}

static bool take_groups(crease_cp_rpca *m, crease_error *e)
{
    const crease_space *s = &m->s.shape;
    const ptrdiff_t n = crease_size(s), length = s->dim[m->s.axis];
    const bool along = m->s.groups == CREASE_GROUPS_FIBRES;
    const ptrdiff_t count = along ? n / length : length;
    if (m->s.groups == CREASE_GROUPS_GIVEN) return true;
    m->group_start = crs_alloc((size_t)count + 1, sizeof *m->group_start);
    m->group_index = crs_alloc((size_t)n, sizeof *m->group_index);
    if (!m->group_start || !m->group_index)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %td groups of entries", count);
    (along ? fibres : slices)(s, m->s.axis, m->group_start, m->group_index);
    m->groups = (crease_groups){ count, m->group_start, m->group_index };
    m->penalty.groups = &m->groups;
    return crease_reg_check(&m->penalty, s, e);
}

void crease_cp_rpca_free(crease_cp_rpca *m)
{
    if (!m) return;
    for (int i = 0; i < CRS_CP_BLOCKS; i++) crs_free(m->start[i]);
    crs_free(m->tensor);
    crs_free(m->root);
    crs_free(m->scaled);
    crs_free(m->group_start);
    crs_free(m->group_index);
    crs_free(m);
}

void crs_cp_fill_defaults(crease_cp_rpca_settings *s)
{
    ptrdiff_t longest = 1;
    for (int n = 0; n < s->shape.order; n++)
        if (s->shape.dim[n] > longest) longest = s->shape.dim[n];
    if (!s->penalty.ops) s->penalty = crease_l1(1);
    if (s->alpha == 0) s->alpha = 2 / sqrt((double)longest);
}

/* |Z - [[X]]|^2 + (nu/2) sum |X_n|^2, and alpha_N times the squares of B or of Z + E - T */
static void set_coupling(crease_cp_rpca *m)
{
    const crease_cp_rpca_settings *s = &m->s;
    const int d = s->shape.order, E = d, Z = d + 1, B = d + 2;
    const crease_map one = crease_identity(sqrt(2 * s->alpha_noise));
    for (int n = 0; n < d; n++) m->factor[n] = n;
    m->cp = (crease_cp_data){
        .shape = s->shape, .rank = s->rank, .factor = m->factor, .z = Z, .ridge = s->ridge
    };
    m->noise = (crease_distance_data){ .a = B, .b = -1, .weight = 2 * s->alpha_noise };
    m->weighed_map[0] = m->weighed_map[1] = m->root ? crease_diagonal(m->root) : one;
    m->weighed_block[0] = s->unconstrained ? E : B;
    m->weighed_block[1] = Z;
    m->weighed = (crease_predictor){ .count = s->unconstrained ? 2 : 1,
                                     .block = m->weighed_block,
                                     .map = m->weighed_map,
                                     .range = s->shape,
                                     .rhs = m->scaled };
    m->term[0] = crease_cp(&m->cp);
    m->term[1] = m->root || s->unconstrained ? crease_least_squares(&m->weighed)
                                             : crease_squared_distance(&m->noise);
    m->sum = (crease_smooth_list){ 2, m->term };
    m->problem.f = crease_smooth_sum(&m->sum);
}

static void set_blocks(crease_cp_rpca *m)
{
    static const char *const part[] = { "E", "Z", "B" };
    const crease_cp_rpca_settings *s = &m->s;
    const int d = s->shape.order, count = s->unconstrained ? d + 2 : d + 3;
    for (int n = 0; n < d; n++) {
        snprintf(m->name[n], sizeof m->name[n], "X%d", n + 1);
        m->space[n] = crease_matrix(s->shape.dim[n], s->rank);
        m->block[n] = (crease_block){ .name = m->name[n], .start = m->start[n] };
        if (s->nonneg) m->block[n].reg = crease_nonneg_indicator();
    }
    for (int i = d; i < count; i++) {
        m->space[i] = s->shape;
        m->block[i] = (crease_block){ .name = part[i - d], .start = m->start[i] };
        if (!s->unconstrained) m->block[i].map = crease_identity(1);
    }
    m->block[d].reg = crease_scaled(s->alpha, &m->penalty);
    m->problem.count = count;
    m->problem.space = m->space;
    m->problem.block = m->block;
    if (s->unconstrained) return;
    m->problem.range = s->shape;
    m->problem.rhs = m->tensor;
}

crease_cp_rpca *crease_cp_rpca_new(const crease_cp_rpca_settings *s, const double *tensor,
                                   crease_error *e)
{
    if (!crs_cp_settings_check(s, e)) return NULL;
    crease_cp_rpca *m = crs_alloc(1, sizeof *m);
    if (!m) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a model");
        return NULL;
    }
    m->s = *s;
    crs_cp_fill_defaults(&m->s);
    m->penalty = m->s.penalty;
    if (take_data(m, tensor, e) && take_groups(m, e) && crs_cp_take_start(m, e)) {
        set_blocks(m);
        set_coupling(m);
        m->s.mask = NULL;
        m->s.factor = NULL;
        if (crease_problem_check(&m->problem, e)) return m;
    }
    crease_cp_rpca_free(m);
    return NULL;
}

const crease_problem *crease_cp_rpca_problem(const crease_cp_rpca *m) { return &m->problem; }
crease_cp_rpca_settings crease_cp_rpca_used(const crease_cp_rpca *m) { return m->s; }
ptrdiff_t crease_cp_rpca_missing(const crease_cp_rpca *m) { return m->missing; }
