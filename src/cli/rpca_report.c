/* SPDX-License-Identifier: MIT
 * rpca_report: what robust PCA found: the log and the summary, the document, the parts of the
 * tensor written a few rows at a time, and, for Tucker and matrix models, the problem file. Numbers
 * that are not finite are null. */
#include "cli/rpca.h"
#include "rpca/rpca.h"

static void print_ranks(const crs_rpca_job *j)
{
    const crease_cp_rank_table *t = j->ranks;
    if (!t) return;
    fprintf(stderr, "%10s %14s %14s %12s %12s %14s %16s\n", "rank", "held out", "loss", "excess",
            "+-", "consistency", "objective");
    for (ptrdiff_t k = 0; k < t->count; k++) {
        const crease_cp_rank_row *r = &t->row[k];
        char core[32] = "not defined";
        if (!isnan(r->consistency)) snprintf(core, sizeof core, "%.1f %%", r->consistency);
        fprintf(stderr, "%9td%c %14.6g %14.6g %12.3g %12.3g %14s %16.8g\n", r->rank,
                r->rank == t->rank ? '*' : ' ', r->held_out, r->loss, r->excess, r->error, core,
                r->objective);
    }
    fprintf(stderr, "chosen      %s\n\n", t->reason);
}

/* One line per mode: the terms of the truth in their order. */
static void print_match(const crs_rpca_job *j)
{
    const int d = j->s.model.shape.order;
    for (int n = 0; n < d && j->true_rank > 0; n++) {
        if (!j->true_factor[n].data) continue;
        printf("cosines     mode %d:", n + 1);
        for (ptrdiff_t k = 0; k < j->true_rank; k++) printf(" %.5f", j->cosine[k * d + n]);
        putchar('\n');
    }
}

static const char *status_text(const crs_rpca_job *j)
{
    const crease_outcome o = crease_cp_fit_report(j->fit).outcome;
    return o == CREASE_STOPPED && crease_cp_fit_theta_stop(j->fit)
               ? "theta fell below its limit; the point is not eps-stationary"
               : crease_outcome_text(o);
}

static void print_guarantee(const crease_analysis *a)
{
    if (a->guarantee) fprintf(stderr, "guarantee   %s\n", a->theorem);
    for (int k = 0; !a->guarantee && crs_doubt(a, k); k++)
        fprintf(stderr, "%s%s is %s: %s\n",
                k ? "            " : "guarantee   none: ", crs_doubt(a, k)->name,
                crease_status_text(crs_doubt(a, k)->status), crs_doubt(a, k)->reason);
}

void crs_rpca_banner(const crs_rpca_job *j)
{
    const crease_analysis *a = crease_cp_fit_analysis(j->fit);
    const crease_cp_fit_settings s = crease_cp_fit_used(j->fit);
    char text[240];
    if (j->log->quiet) return;
    print_ranks(j);
    fprintf(stderr, "crease %s  %s: ", crease_version(), j->a->word[0]);
    for (int n = 0; n < s.model.shape.order; n++)
        fprintf(stderr, "%s%td", n ? " x " : "", s.model.shape.dim[n]);
    fprintf(stderr, ", %td missing, rank %td\n", crease_cp_fit_missing(j->fit), s.model.rank);
    fprintf(stderr, "method      %s%s, %s mode, %s engine, %d thread%s\n",
            crease_method_name(a->method), s.run.method == CREASE_METHOD_AUTO ? " (chosen)" : "",
            crease_mode_name(s.run.mode), crease_cp_fit_engine(j->fit), s.threads,
            s.threads == 1 ? "" : "s");
    crs_parameter_text(a, text, sizeof text);
    fprintf(stderr, "parameters  %s\n", text[0] ? text : "none");
    print_guarantee(a);
    fprintf(stderr, "memory      %.4g MB, or %.4g MB when many entries are outliers\n",
            j->bytes / 1e6, j->most_bytes / 1e6);
    fprintf(stderr, "stops at    %s residual <= %g, %ld iterations, %g s\n\n",
            s.run.relative ? "relative" : "absolute", s.run.eps, s.run.max_iterations,
            s.run.max_seconds);
    fprintf(stderr, "%10s %16s %12s %12s %12s %9s\n", "iteration", "objective", "feasibility",
            "worst", "theta", "seconds");
}

void crs_rpca_footer(const crs_rpca_job *j)
{
    const crease_certificate *c = crease_cp_fit_certificate(j->fit);
    const crease_progress last = crease_cp_fit_progress(j->fit);
    if (j->log->quiet) return;
    crs_log_line(&last);
    fprintf(stderr, "\nobjective   %.12g\nworst       %.4e, %.4e relative\n", c->objective,
            c->worst, c->worst_relative);
    fprintf(stderr, "checked     %s: %s\n", crease_verdict_text(j->verified.verdict),
            j->verified.text);
    const crease_report r = crease_cp_fit_report(j->fit);
    if (r.note[0]) fprintf(stderr, "note        %s\n", r.note);
    fprintf(stderr, "EXIT: %s\n", status_text(j));
}

void crs_rpca_summary(const crs_rpca_job *j)
{
    const crease_report r = crease_cp_fit_report(j->fit);
    const crease_analysis *a = crease_cp_fit_analysis(j->fit);
    const crease_certificate *c = crease_cp_fit_certificate(j->fit);
    const crease_cp_fit_settings s = crease_cp_fit_used(j->fit);
    const crease_cp_pilot pilot = crease_cp_fit_pilot(j->fit);
    printf("status      %s\n", status_text(j));
    printf("rank        %td%s%s\n", s.model.rank, j->rank_reason[0] ? ": " : "", j->rank_reason);
    printf("alpha       %.6g\n", s.model.alpha);
    if (pilot.starts > 0) {
        printf("noise       %.6g (robust standard deviation)\n", pilot.deviation);
        printf("outliers    %.3g %% of the entries; the sparse part begins at %.6g\n",
               100 * pilot.share, pilot.threshold);
        printf("starts      %d, %ld passes over the data", pilot.starts, pilot.passes);
        printf("%s%s", pilot.starts > 1 ? "; the best is " : ": ", pilot.start);
        if (!isnan(pilot.agreement)) printf(", agreement %.4g", pilot.agreement);
        if (pilot.starts > 1) printf(", spread of the deviations %.3g", pilot.spread);
        printf("\n");
    }
    printf("objective   %.12g\n", c->objective);
    printf("residual    %.3e%s (eps %g)\n", s.run.relative ? c->worst_relative : c->worst,
           s.run.relative ? " relative" : "", s.run.eps);
    printf("verdict     %s\n", crease_verdict_text(j->verified.verdict));
    printf("method      %s, %s mode\n", crease_method_name(a->method),
           crease_mode_name(s.run.mode));
    printf("guarantee   %s\n", a->guarantee ? a->theorem : "none");
    printf("iterations  %ld in %.3g s\n", r.iterations, r.seconds);
    if (j->truth.f)
        printf("errors      %.6g of the low-rank part, %.6g of Z\n", j->error_lowrank, j->error_z);
    print_match(j);
    printf("result      %s\n", crs_given(j->a, CRS_OPT_OUT));
}

static json_t *ranks_json(const crs_rpca_job *j)
{
    if (!j->ranks) return json_null();
    json_t *list = json_array();
    for (ptrdiff_t k = 0; k < j->ranks->count; k++) {
        const crease_cp_rank_row *r = &j->ranks->row[k];
        json_array_append_new(
            list, json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "rank", (json_int_t)r->rank,
                            "held_out", crs_real(r->held_out), "loss", crs_real(r->loss), "excess",
                            crs_real(r->excess), "error", crs_real(r->error), "fitted",
                            crs_real(r->fitted), "consistency", crs_real(r->consistency),
                            "objective", crs_real(r->objective)));
    }
    return list;
}

/* A list per term; null where the truth is not known. */
static json_t *match_json(const crs_rpca_job *j)
{
    const int d = j->s.model.shape.order;
    json_t *list = j->true_rank > 0 ? json_array() : json_null();
    for (ptrdiff_t k = 0; k < j->true_rank; k++) {
        json_t *term = json_array();
        for (int n = 0; n < d; n++) json_array_append_new(term, crs_real(j->cosine[k * d + n]));
        json_array_append_new(list, term);
    }
    return list;
}

static json_t *residual(const char *name, const crease_residual *r)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:i, s:b}", "name", name, "residual",
                     crs_real(r->residual), "scale", crs_real(r->scale), "rounding",
                     crs_real(r->rounding), "setting", r->setting, "upper_bound", r->upper_bound);
}

static json_t *certificate(const crs_rpca_job *j)
{
    static const char *const part[] = { "E", "Z", "B" };
    const crease_certificate *c = crease_cp_fit_certificate(j->fit);
    const int d = j->s.model.shape.order;
    json_t *blocks = json_array();
    for (int i = 0; i < c->count; i++) {
        char name[16];
        snprintf(name, sizeof name, "X%d", i + 1);
        json_array_append_new(blocks, residual(i < d ? name : part[i - d], &c->block[i]));
    }
    json_array_append_new(blocks, residual("feasibility", &c->feasibility));
    return json_pack("{s:o, s:o, s:f, s:b, s:s, s:o, s:s, s:o}", "worst", crs_real(c->worst),
                     "worst_relative", crs_real(c->worst_relative), "eps", j->s.run.eps, "relative",
                     (int)j->s.run.relative, "verdict", crease_verdict_text(j->verified.verdict),
                     "smallest_eps", crs_real(j->verified.smallest_eps), "because",
                     j->verified.text, "residuals", blocks);
}

static json_t *analysis(const crs_rpca_job *j)
{
    const crease_analysis *a = crease_cp_fit_analysis(j->fit);
    json_t *list = json_array();
    for (int k = 0; k < a->assumptions; k++) {
        const crease_assumption *at = &a->assumption[k];
        json_array_append_new(list,
                              json_pack("{s:s, s:i, s:s, s:o, s:s}", "name", at->name, "block",
                                        at->block, "status", crease_status_text(at->status),
                                        "number", crs_real(at->number), "reason", at->reason));
    }
    return json_pack("{s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "method",
                     crease_method_name(a->method), "mode", crease_mode_name(j->s.run.mode),
                     "theorem", a->theorem, "guarantee", a->guarantee, "beta", crs_real(a->beta),
                     "gamma", crs_real(a->gamma), "slack", crs_real(a->slack), "bound",
                     crs_real(crease_cp_fit_report(j->fit).bound), "assumptions", list);
}

/* Text, or null where the option was not given. */
static json_t *given(const crs_rpca_job *j, crs_option_id id)
{
    const char *text = crs_given(j->a, id);
    return text ? json_string(text) : json_null();
}

/* "mcp:0.25,3": with the parameters that were used, which may have been learned. */
static void penalty_text(const crs_rpca_job *j, const crease_reg *r, char *out, size_t size)
{
    const char *given = crs_given(j->a, CRS_OPT_PENALTY);
    size_t used = (size_t)snprintf(out, size, "%s", given ? given : "l1");
    if (!crs_given(j->a, CRS_OPT_GROUPS) && !crs_given(j->a, CRS_OPT_WEIGHTS) && r->penalty)
        used = (size_t)snprintf(out, size, "%s", r->penalty->name);
    else
        return;
    for (int k = 0; r->penalty->params[k].name && used < size; k++)
        used += (size_t)snprintf(out + used, size - used, "%s%.17g", k ? "," : ":", r->par[k]);
}

static const char *init(const crs_rpca_job *j, const crease_cp_rpca_settings *s)
{
    const char *given = crs_given(j->a, CRS_OPT_INIT);
    if (given && strcmp(given, "auto") != 0) return given;
    if (s->start == CREASE_START_RANDOM) return "random";
    return crease_cp_fit_pilot(j->fit).starts > 0 ? "auto" : "als";
}

static json_t *settings(const crs_rpca_job *j)
{
    char penalty[160], hash[32];
    const crease_cp_fit_settings used = crease_cp_fit_used(j->fit);
    const crease_cp_rpca_settings *s = &used.model;
    penalty_text(j, &s->penalty, penalty, sizeof penalty);
    crs_reg_hash(&j->penalty, hash);
    return json_pack("{s:I, s:b, s:s, s:o, s:o, s:s, s:f, s:f, s:f, s:b, s:b, s:s, s:I, s:i}",
                     "rank", (json_int_t)s->rank, "rank_chosen", j->rank_reason[0] != 0, "penalty",
                     penalty, "groups", given(j, CRS_OPT_GROUPS), "weights",
                     given(j, CRS_OPT_WEIGHTS), "penalty_hash", hash, "alpha", s->alpha,
                     "alpha_noise", s->alpha_noise, "ridge", s->ridge, "nonneg", s->nonneg,
                     "unconstrained", s->unconstrained, "init", init(j, s), "seed",
                     (json_int_t)s->seed, "threads", used.threads);
}

/* What `crease verify` needs to find the data again. */
static json_t *data(const crs_rpca_job *j)
{
    return json_pack("{s:s, s:s, s:o, s:b, s:o}", "path", j->a->word[0], "hash", j->hash, "mask",
                     given(j, CRS_OPT_MASK), "missing", crs_given(j->a, CRS_OPT_MISSING) != NULL,
                     "merge", given(j, CRS_OPT_MERGE));
}

static json_t *pilot(const crs_rpca_job *j)
{
    const crease_cp_pilot p = crease_cp_fit_pilot(j->fit);
    if (p.starts == 0) return json_null();
    return json_pack("{s:i, s:s, s:I, s:o, s:o, s:o, s:o, s:o}", "starts", p.starts, "start",
                     p.start, "passes", (json_int_t)p.passes, "agreement", crs_real(p.agreement),
                     "spread", crs_real(p.spread), "deviation", crs_real(p.deviation), "threshold",
                     crs_real(p.threshold), "share", crs_real(p.share));
}

static json_t *weights(const crs_rpca_job *j)
{
    json_t *list = json_array();
    for (ptrdiff_t r = 0; r < j->s.model.rank; r++)
        json_array_append_new(list, crs_real(j->weight[r]));
    return list;
}

static json_t *audit(const crs_rpca_job *j)
{
    const crease_report r = crease_cp_fit_report(j->fit);
    return json_pack("{s:I, s:o, s:I, s:s}", "violations", (json_int_t)r.audit_violations, "worst",
                     crs_real(r.audit_worst), "accelerated", (json_int_t)r.accelerated, "note",
                     r.note);
}

static json_t *result_json(const crs_rpca_job *j)
{
    const crease_report r = crease_cp_fit_report(j->fit);
    json_t *errors = j->truth.f ? json_pack("{s:o, s:o}", "lowrank", crs_real(j->error_lowrank),
                                            "z", crs_real(j->error_z))
                                : json_null();
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:o, s:I, s:f, s:f, s:o, s:o, s:I, s:o, s:o, s:o, "
                     "s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "schema_version", 2, "verb", "rpca", "version", crease_version(), "status",
                     status_text(j), "engine", crease_cp_fit_engine(j->fit), "objective",
                     crs_real(crease_cp_fit_certificate(j->fit)->objective), "iterations",
                     (json_int_t)r.iterations, "seconds", r.seconds, "forecast_bytes", j->bytes,
                     "shape", crs_dims(&j->given), "model_shape", crs_dims(&j->s.model.shape),
                     "missing", (json_int_t)crease_cp_fit_missing(j->fit), "data", data(j),
                     "settings", settings(j), "rank_table", ranks_json(j), "rank_reason",
                     j->rank_reason[0] ? json_string(j->rank_reason) : json_null(), "pilot",
                     pilot(j), "weights", weights(j), "errors", errors, "cosines", match_json(j),
                     "analysis", analysis(j), "audit", audit(j), "certificate", certificate(j));
}

static bool match_terms(crs_rpca_job *j, crease_error *e)
{
    const crease_space *s = &j->s.model.shape;
    crs_cp_terms found = { .rank = j->s.model.rank }, truth = { .rank = j->true_rank };
    if (j->true_rank == 0) return true;
    j->cosine = crs_doubles(j->true_rank * s->order, "the cosines", e);
    if (!j->cosine) return false;
    for (int n = 0; n < s->order; n++) {
        found.factor[n] = j->unit[n];
        truth.factor[n] = j->true_factor[n].data;
    }
    return crs_cp_cosines(s, &found, &truth, j->cosine, e);
}

typedef struct {
    const crease_cp_fit *fit;
    crease_cp_part part;
    ptrdiff_t right;
} piece;

static void part_items(const void *self, ptrdiff_t first, ptrdiff_t count, double *out)
{
    const piece *p = self;
    crease_cp_fit_read(p->fit, p->part, first / p->right, count / p->right, out);
}

/* As many rows as make a megabyte. */
static ptrdiff_t room_of(ptrdiff_t left, ptrdiff_t right)
{
    const ptrdiff_t rows = (1 << 17) / right;
    return (rows < 1 ? 1 : rows < left ? rows : left) * right;
}

static bool write_parts(const crs_rpca_job *j, crease_error *e)
{
    static const struct {
        crease_cp_part part;
        const char *name;
    } list[] = { { CREASE_CP_LOWRANK, "lowrank.npy" },
                 { CREASE_CP_SPARSE, "sparse.npy" },
                 { CREASE_CP_NOISE, "noise.npy" },
                 { CREASE_CP_SPLIT, "z.npy" } };
    ptrdiff_t left, right;
    if (!crs_given(j->a, CRS_OPT_OUT)) return true;
    crease_cp_fit_rows(j->fit, &left, &right);
    const ptrdiff_t room = room_of(left, right);
    double *buffer = crs_doubles(room, "a part of the result", e);
    bool done = buffer;
    for (int k = 0; done && k < 4; k++) {
        char path[CRS_PATH_ROOM];
        const piece p = { j->fit, list[k].part, right };
        const crs_pieces pieces = { part_items, &p, buffer, room };
        done = crs_join(crs_given(j->a, CRS_OPT_OUT), list[k].name, path, sizeof path, e) &&
               crs_write_npy_pieces(path, &j->given, &pieces, e);
    }
    crs_free(buffer);
    return done;
}

/* |M - truth|/|truth| and |Z - truth|/|truth| */
static bool measure_errors(crs_rpca_job *j, crease_error *e)
{
    ptrdiff_t left, right;
    double sum[3] = { 0, 0, 0 };
    j->error_lowrank = j->error_z = NAN;
    if (!j->truth.f) return true;
    crease_cp_fit_rows(j->fit, &left, &right);
    double *m = crs_doubles(3 * right, "a row of the result", e), *z = m + right, *t = z + right;
    bool done = m;
    for (ptrdiff_t row = 0; done && row < left; row++) {
        crease_cp_fit_read(j->fit, CREASE_CP_LOWRANK, row, 1, m);
        crease_cp_fit_read(j->fit, CREASE_CP_SPLIT, row, 1, z);
        done = crs_npy_stream_next(&j->truth, right, t, e);
        for (ptrdiff_t k = 0; done && k < right; k++) {
            sum[0] += square(m[k] - t[k]);
            sum[1] += square(z[k] - t[k]);
            sum[2] += square(t[k]);
        }
    }
    crs_free(m);
    j->error_lowrank = sum[0] == 0 ? 0 : sqrt(sum[0] / sum[2]);
    j->error_z = sum[1] == 0 ? 0 : sqrt(sum[1] / sum[2]);
    return done;
}

static bool components(crs_rpca_job *j, crease_error *e)
{
    const crease_cp_rpca_settings *s = &j->s.model;
    const double *factor[CREASE_MAX_ORDER];
    j->weight = crs_doubles(s->rank, "the weights", e);
    if (!j->weight) return false;
    for (int n = 0; n < s->shape.order; n++) {
        factor[n] = crease_cp_fit_factor(j->fit, n);
        j->unit[n] = crs_doubles(s->shape.dim[n] * s->rank, "a factor", e);
        if (!j->unit[n]) return false;
    }
    return crease_cp_components(&s->shape, s->rank, factor, j->unit, j->weight, e);
}

bool crs_rpca_write(crs_rpca_job *j, crease_error *e)
{
    const crs_args *a = j->a;
    const crease_space weights = crease_vector(j->s.model.rank);
    if (!components(j, e) || !match_terms(j, e) || !measure_errors(j, e) ||
        !crs_outdir_begin(a, "result.json", e) || !write_parts(j, e))
        return false;
    const crs_rpca_claim claim = { .folder = crs_given(a, CRS_OPT_OUT),
                                   .s = crease_cp_fit_used(j->fit).model,
                                   .unit = j->unit,
                                   .weight = j->weight,
                                   .fit = j->fit,
                                   .eps = j->s.run.eps,
                                   .relative = j->s.run.relative != 0,
                                   .threads = j->s.threads };
    return crs_outdir_factors(a, &j->s.model.shape, j->s.model.rank, (const double *const *)j->unit,
                              e) &&
           crs_outdir_array(a, "weights.npy", &weights, j->weight, e) &&
           crs_rpca_check(&claim, &j->verified, e) &&
           crs_outdir_document(a, "result.json", result_json(j), e);
}

/* {"scaled": {"alpha": a, "regularizer": {"mcp": {"lambda": l, "gamma": g}}}} */
static json_t *penalty_json(const crease_tucker_rpca_settings *s)
{
    const crease_penalty *p = s->penalty.penalty;
    json_t *par = json_object(), *reg = json_object();
    for (int k = 0; p->params[k].name; k++)
        json_object_set_new(par, p->params[k].name, json_real(s->penalty.par[k]));
    json_object_set_new(reg, p->name, par);
    return json_pack("{s:{s:f, s:o}}", "scaled", "alpha", s->alpha, "regularizer", reg);
}

static json_t *blocks(const crs_tucker_job *j)
{
    const crease_problem *p = crease_tucker_rpca_problem(j->model);
    const crease_tucker_rpca_facts about = crease_tucker_rpca_about(j->model);
    const int sparse = crease_tucker_rpca_sparse(j->model);
    json_t *list = json_array();
    for (int i = 0; i < p->count; i++) {
        json_t *b =
            json_pack("{s:s, s:o}", "name", p->block[i].name, "shape", crs_dims(&p->space[i]));
        if (about.used.form == CREASE_RPCA_CONVEX)
            json_object_set_new(b, "regularizer",
                                i == 0 ? json_string("nuclear:1")
                                       : json_pack("{s:{s:f}}", "l1", "lambda", about.used.alpha));
        else if (i == sparse)
            json_object_set_new(b, "regularizer", penalty_json(&about.used));
        if (p->block[i].set)
            json_object_set_new(
                b, "set", json_pack("{s:{s:f}}", "l2-ball", "radius", p->block[i].set->par[0]));
        json_array_append_new(list, b);
    }
    return list;
}

static json_t *tucker_couplings(const crs_tucker_job *j)
{
    const crease_tucker_rpca_facts about = crease_tucker_rpca_about(j->model);
    json_t *factors = json_array(), *noise;
    for (int n = 0; n < about.used.shape.order; n++) {
        char name[16];
        snprintf(name, sizeof name, "X%d", n + 1);
        json_array_append_new(factors, json_string(name));
    }
    if (about.missing > 0)
        noise =
            json_pack("{s:{s:{s:{s:s}}}}", "least_squares", "terms", "B", "diagonal", "mask.npy");
    else
        noise = json_pack("{s:{s:s, s:f}}", "squared_distance", "a", "B", "weight",
                          2 * about.used.alpha_noise);
    return json_pack("[{s:{s:o, s:s, s:s}}, o]", "tucker", "factors", factors, "core", "C", "z",
                     "Z", noise);
}

static json_t *problem_document(const crs_tucker_job *j)
{
    const crease_rpca_form form = crease_tucker_rpca_about(j->model).used.form;
    const crease_problem *p = crease_tucker_rpca_problem(j->model);
    json_t *maps = json_object();
    for (int i = 0; i < p->count; i++)
        if (p->block[i].map.ops) json_object_set_new(maps, p->block[i].name, json_integer(1));
    json_t *d = json_pack("{s:i, s:s, s:o, s:{s:o, s:s}}", "crease", 1, "description",
                          "robust PCA of data.npy", "blocks", blocks(j), "constraint", "maps", maps,
                          "rhs", "data.npy");
    if (form == CREASE_RPCA_TUCKER) json_object_set_new(d, "smooth", tucker_couplings(j));
    if (form == CREASE_RPCA_BALL)
        json_object_set_new(d, "smooth",
                            json_pack("[{s:{s:s, s:s, s:s}}]", "matrix_factorization", "x", "X",
                                      "y", "Y", "z", "Z"));
    return d;
}

/* mask.npy holds sqrt(2 alpha_N) W, so that the coupling is alpha_N |W o B|^2. */
bool crs_tucker_problem(const crs_tucker_job *j, crease_error *e)
{
    const crease_problem *p = crease_tucker_rpca_problem(j->model);
    const char *folder = j->folder.beside;
    const double *root = crease_tucker_rpca_weights(j->model);
    return crs_write_array(folder, "data.npy", &p->range, p->rhs, e) &&
           (!root || crs_write_array(folder, "mask.npy", &p->range, root, e)) &&
           crs_write_document(folder, "problem.json", problem_document(j), e);
}

json_t *crs_tucker_facts(const crs_tucker_job *j)
{
    const crease_tucker_rpca_facts f = crease_tucker_rpca_about(j->model);
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:i, s:f, s:I, s:o}", "model",
                     crs_given(j->a, CRS_OPT_MODEL), "shape", crs_dims(&j->given), "model_shape",
                     crs_dims(&f.used.shape), "ranks", crs_dims(&f.used.ranks), "alpha",
                     crs_real(f.used.alpha), "threshold", crs_real(f.threshold), "deviation",
                     crs_real(f.deviation), "passes", (json_int_t)f.passes, "threads",
                     f.used.threads, "fit_seconds", j->seconds, "missing", (json_int_t)f.missing,
                     "error_lowrank", crs_real(j->error));
}

static void tucker_summary(const crs_tucker_job *j, const crs_run *run)
{
    const crease_tucker_rpca_facts f = crease_tucker_rpca_about(j->model);
    const crease_report r = crease_solver_report(run->solver);
    const crease_certificate *c = crease_solver_certificate(run->solver);
    printf("status      %s\n", crease_outcome_text(r.outcome));
    if (f.used.form != CREASE_RPCA_CONVEX) {
        printf("ranks      ");
        for (int n = 0; n < f.used.ranks.order; n++) printf(" %td", f.used.ranks.dim[n]);
        printf("\nnoise       %.6g (robust standard deviation)\n", f.deviation);
        printf("outliers    beyond %.6g\n", f.threshold);
        printf("fit         %ld passes over the data\n", f.passes);
    }
    if (f.used.form == CREASE_RPCA_BALL) printf("eta         %.6g\n", f.used.eta);
    printf("alpha       %.6g\n", f.used.alpha);
    printf("objective   %.12g\n", c->objective);
    printf("residual    %.3e%s (eps %g)\n", j->run.relative ? c->worst_relative : c->worst,
           j->run.relative ? " relative" : "", j->run.eps);
    printf("verdict     %s\n", crease_verdict_text(run->verified->verdict));
    printf("engine      %ld iterations of %s\n", r.iterations,
           crease_method_name(crease_solver_analysis(run->solver)->method));
    if (j->truth.data) printf("error       %.6g of the low-rank part\n", j->error);
    printf("result      %s\n", crs_given(j->a, CRS_OPT_OUT));
}

bool crs_tucker_print(const crs_tucker_job *j, const crs_run *run, json_t *more, crease_error *e)
{
    if (!crs_given(j->a, CRS_OPT_JSON)) return tucker_summary(j, run), true;
    json_t *result = crs_result_json(run);
    if (result) json_object_update_missing(result, more);
    return crs_print_document(result, e);
}
