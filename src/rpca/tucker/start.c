/* SPDX-License-Identifier: MIT
 * start: the robust fit that every form of a Tucker model begins with, or is: what it is asked for,
 * and what it has learned */
#include "core/parallel.h"
#include "reg/reg.h"
#include "rpca/tucker/tucker.h"

static bool in_range(const char *name, double value, bool zero, crease_error *e)
{
    return (value < INFINITY && (value > 0 || (zero && value == 0))) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "%s = %g is outside its range: give a number %s", name,
                    value, zero ? ">= 0" : "> 0");
}

static bool check_form(const crease_tucker_rpca_settings *s, crease_error *e)
{
    const bool matrix = s->shape.order == 2;
    if (s->form != CREASE_RPCA_TUCKER && !matrix)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "the data have %d dimensions and this model is of matrices; merge "
                        "dimensions or use the Tucker or CP model",
                        s->shape.order);
    if (s->form == CREASE_RPCA_BALL && s->ranks.dim[0] != s->ranks.dim[1])
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the ranks of a matrix are %td and %td; give one",
                        s->ranks.dim[0], s->ranks.dim[1]);
    return s->form == CREASE_RPCA_TUCKER || (!s->missing && !s->mask) ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "this form takes no missing entries; use the penalized form (without eta)");
}

bool crs_tucker_check(const crease_tucker_rpca_settings *s, crease_error *e)
{
    if (s->shape.order < 2 || s->shape.order > CREASE_MAX_ORDER)
        return crs_fail(e, CREASE_BAD_SHAPE, "the data have %d dimensions; give 2 to %d",
                        s->shape.order, CREASE_MAX_ORDER);
    if (!crease_space_check(&s->shape, e) || !check_form(s, e)) return false;
    if (s->penalty.ops && !crs_is_plain(&s->penalty))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "the penalty %s is not one by entries, all weighed alike; use l1, mcp, "
                        "scad, lsp, capped-l1, l0 or another of that kind",
                        s->penalty.ops->name);
    return (!s->penalty.ops || crease_reg_check(&s->penalty, &s->shape, e)) &&
           in_range("alpha", s->alpha, true, e) && in_range("learn", s->learn, false, e) &&
           in_range("alpha_noise", s->alpha_noise, false, e) && in_range("eta", s->eta, true, e) &&
           in_range("eps", s->eps, false, e);
}

/* Squares must neither overflow nor vanish, and the histogram of residuals ends at 2^-128. */
bool crs_tucker_check_magnitude(double most, crease_error *e)
{
    if (most < 0)
        return crs_fail(e, CREASE_BAD_DATA, "no entry was observed; give data with numbers");
    return most == 0 || (most >= 1e-20 && most <= 1e100) ||
           crs_fail(e, CREASE_BAD_DATA, "the largest entry is %g, too %s; rescale the data", most,
                    most > 1 ? "large" : "small");
}

void crs_tucker_start_init(crs_tucker_start *m)
{
    crease_tucker_rpca_settings *s = &m->facts.used;
    m->penalty = s->penalty.ops ? s->penalty : crease_l1(1);
    m->facts.residual = m->facts.deviation = m->facts.threshold = NAN;
    m->facts.kept = s->ranks;
    s->threads = crs_useful_threads(s->threads, crease_size(&s->shape));
}

/* The ball's X and Y have other norms than the fit's factors and core, and with them other scales:
 * hence a quarter of eps. */
static crs_tucker_settings settings_of(const crs_tucker_start *m)
{
    const crease_tucker_rpca_settings *s = &m->facts.used;
    crs_tucker_settings c = { .shape = s->shape,
                              .ranks = s->ranks,
                              .penalty =
                                  crs_penalty_of(m->penalty.penalty, m->penalty.par, s->alpha),
                              .learn = s->alpha > 0 ? 0 : s->learn,
                              .alpha_noise = s->alpha_noise,
                              .threads = s->threads,
                              .eps = s->form == CREASE_RPCA_BALL ? s->eps / 4 : s->eps,
                              .seed = s->seed,
                              .spare = s->spare,
                              .watch = s->watch };
    return c;
}

static void keep_facts(crs_tucker_start *m, const crs_tucker_fit *fit)
{
    const crs_tucker_statistics *at = &fit->statistics;
    const crs_penalty_value penalty = crs_tucker_fit_goal(fit);
    m->facts.passes = at->passes;
    m->facts.residual = at->residual;
    m->facts.deviation = at->scale;
    m->facts.threshold =
        crs_envelope_threshold(&penalty, crs_noise_share(m->facts.used.alpha_noise));
    m->facts.used.alpha = penalty.weight;
    m->facts.kept = fit->c.ranks;
    if (m->facts.used.prune) m->facts.used.ranks = fit->c.ranks;
    m->penalty = crease_separable(penalty.rho, penalty.par);
}

/* What was dropped outlives the fit. */
static bool keep_cuts(crs_tucker_start *m, const crs_tucker_fit *fit, crease_error *e)
{
    m->facts.cuts = fit->cuts;
    if (fit->cuts == 0) return true;
    m->facts.cut = m->cut = crs_alloc((size_t)fit->cuts, sizeof *m->cut);
    if (!m->cut) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: what was cut");
    memcpy(m->cut, fit->cut, sizeof *m->cut * (size_t)fit->cuts);
    return true;
}

crs_tucker_fit *crs_tucker_begin(crs_tucker_start *m, crs_source *T, crease_error *e)
{
    const crs_tucker_settings c = settings_of(m);
    crs_tucker_fit *fit = crs_tucker_fit_new_on(&c, T, e);
    if (!fit) return NULL;
    crs_tucker_fit_lead(fit, m->facts.used.passes, false);
    keep_facts(m, fit);
    if (crs_tucker_fit_well(fit, e) && keep_cuts(m, fit, e)) return fit;
    crs_tucker_fit_free(fit);
    return NULL;
}

/* A factor or a core of the fit's size as the leading part of a larger one, whose rest is 0: then
 * the gradient is 0 there, since it is a product with zeros. (An orthonormal complement would not
 * do: the core's gradient is <S, x_1 o .. o x_d>, and noise is nowhere 0.) */
void crs_tucker_embed(const crease_space *from, const double *x, const crease_space *to, double *y)
{
    const ptrdiff_t size = crease_size(to);
    for (ptrdiff_t j = 0; j < size; j++) {
        ptrdiff_t rest = j, at = 0, step = 1;
        bool in = true;
        for (int n = to->order - 1; n >= 0; n--) {
            const ptrdiff_t i = rest % to->dim[n];
            in = in && i < from->dim[n];
            at += i * step;
            rest /= to->dim[n];
            step *= from->dim[n];
        }
        y[j] = in ? x[at] : 0;
    }
}
