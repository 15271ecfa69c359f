/* SPDX-License-Identifier: MIT
 * report: what robust PCA found: the log, the document and the certificate */
#include "cli/rpca/rpca.h"
#include "rpca/rpca.h"

const char *const crs_rpca_theta_text =
    "theta fell below its limit; the point is not eps-stationary";

static const char *status_text(const crs_rpca_job *j)
{
    const crease_outcome o = crease_rpca_report(j->fit)->outcome;
    return o == CREASE_STOPPED && crease_rpca_about(j->fit)->theta_stop
               ? crs_rpca_theta_text
               : crs_outcome_text(o, j->verified.verdict);
}

static void print_banner(FILE *f, const crs_rpca_job *j)
{
    const crease_analysis *a = crease_rpca_analysis(j->fit);
    const crease_rpca_settings *s = crease_rpca_used(j->fit);
    const crease_options *o = crease_rpca_options_used(j->fit);
    char text[240];
    crs_rpca_print_ranks(f, j);
    fprintf(f, "crease %s  %s: ", crease_version(), j->a->word[0]);
    for (int n = 0; n < s->shape.order; n++) fprintf(f, "%s%td", n ? " x " : "", s->shape.dim[n]);
    fprintf(f, ", %td missing, rank", crease_rpca_about(j->fit)->missing);
    for (int n = 0; n < s->ranks.order; n++) fprintf(f, "%s%td", n ? "," : " ", s->ranks.dim[n]);
    if (s->kind == CREASE_RPCA_CP) fprintf(f, " %td", s->rank);
    fprintf(f, "\n");
    fprintf(f, "method      %s%s, %s mode, %s engine, %d thread%s\n", crease_method_name(a->method),
            o->method == CREASE_METHOD_AUTO ? " (chosen)" : "", crease_mode_name(o->mode),
            crease_rpca_about(j->fit)->engine, s->threads, s->threads == 1 ? "" : "s");
    if (crease_rpca_about(j->fit)->listed)
        fprintf(f,
                "passes      over the %td observed entries alone, less than one in four of all\n",
                crease_size(&s->shape) - crease_rpca_about(j->fit)->missing);
    if (strcmp(crease_rpca_about(j->fit)->engine, "rows") == 0)
        fprintf(f, "rows        of mode 1 are eliminated; start and threshold are from a sample\n");
    crs_parameter_text(a, text, sizeof text);
    fprintf(f, "parameters  %s\n", text[0] ? text : "none");
    crs_log_guarantee(f, a);
    fprintf(f, "memory      %.4g MB, or %.4g MB when many entries are outliers\n", j->bytes / 1e6,
            j->most_bytes / 1e6);
    fprintf(f, "stops at    %s residual <= %g, %ld iterations, %g s\n\n",
            o->relative ? "relative" : "absolute", o->eps, o->max_iterations, o->max_seconds);
}

void crs_rpca_banner(const crs_rpca_job *j)
{
    FILE *f = crs_log_text(j->a);
    if (f) print_banner(f, j);
    crs_log_table(j->a, j->run.certify_every);
}

void crs_rpca_footer(const crs_rpca_job *j)
{
    const crs_ending end = { .certificate = crease_rpca_certificate(j->fit),
                             .verified = &j->verified,
                             .report = *crease_rpca_report(j->fit),
                             .status = status_text(j),
                             .audited = j->run.audit };
    crs_log_ending(j->a, &end);
}

/* The errors and, per term, the cosines; null where the truth is not known. */
static void put_truth(crs_spot to, const crs_rpca_job *j)
{
    const int d = j->s.shape.order;
    if (j->truth.f) {
        const crs_spot errors = crs_put_object(to, "errors");
        crs_put_number(errors, "lowrank", j->error_lowrank);
        crs_put_number(errors, "z", j->error_z);
    } else {
        crs_put_null(to, "errors");
    }
    if (j->true_rank > 0)
        crs_put_array(to, "cosines", &(crease_space){ 2, { j->true_rank, d }, NULL }, j->cosine);
    else
        crs_put_null(to, "cosines");
}

static void put_certificate(crs_spot to, const crs_rpca_job *j)
{
    static const char *const part[] = { "C", "E", "Z", "B" };
    const crease_certificate *c = crease_rpca_certificate(j->fit);
    const int d = j->s.shape.order, core = c->count - d - 3; /* is there one? */
    crs_put_number(to, "worst", c->worst);
    crs_put_number(to, "worst_relative", c->worst_relative);
    crs_put_number(to, "smallest_eps", j->verified.smallest_eps);
    const crs_spot list = crs_put_list(to, "residuals");
    for (int i = 0; i < c->count; i++) {
        char name[16];
        snprintf(name, sizeof name, "X%d", i + 1);
        crs_put_residual(list, i < d ? name : part[i - d + 1 - core], &c->block[i]);
    }
    crs_put_residual(list, "feasibility", &c->feasibility);
}

static void put_analysis(crs_spot to, const crs_rpca_job *j)
{
    const crease_analysis *a = crease_rpca_analysis(j->fit);
    crs_put_text(to, "method", crease_method_name(a->method));
    crs_put_text(to, "mode", crease_mode_name(j->run.mode));
    crs_put_text(to, "theorem", a->theorem);
    crs_put_flag(to, "guarantee", a->guarantee);
    crs_put_number(to, "beta", a->beta);
    crs_put_number(to, "gamma", a->gamma);
    crs_put_number(to, "slack", a->slack);
    crs_put_number(to, "bound", crease_rpca_report(j->fit)->bound);
    const crs_spot list = crs_put_list(to, "assumptions");
    for (int k = 0; k < a->assumptions; k++) {
        const crease_assumption *at = &a->assumption[k];
        const crs_spot line = crs_put_object(list, NULL);
        crs_put_text(line, "name", at->name);
        crs_put_whole(line, "block", at->block);
        crs_put_text(line, "status", crease_status_text(at->status));
        crs_put_number(line, "number", at->number);
        crs_put_text(line, "reason", at->reason);
    }
}

void crs_reg_text(const crs_named_reg *named, const crease_reg *used, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "%s", named->spec.name);
    for (int k = 0; named->params && named->params[k].name && at < size; k++)
        at += (size_t)snprintf(out + at, size - at, "%s%.17g", k ? "," : ":", used->par[k]);
}

static const char *init(const crs_rpca_job *j, const crease_rpca_settings *s)
{
    const char *given = crs_given(j->a, CRS_OPT_INIT);
    if (given && strcmp(given, "auto") != 0) return given;
    if (s->start == CREASE_START_RANDOM) return "random";
    return crease_rpca_about(j->fit)->starts > 0 ? "auto" : "als";
}

/* The model as the checker and crease apply need it. */
static void put_model(crs_spot to, const crs_rpca_job *j)
{
    char penalty[160], hash[CRS_HASH];
    const crease_rpca_settings s = *crease_rpca_used(j->fit);
    crs_reg_text(&j->penalty, &s.penalty, penalty, sizeof penalty);
    const char *text = s.penalty.ops->vector ? crs_given(j->a, CRS_OPT_PENALTY) : penalty;
    crs_reg_hash(&j->penalty, hash);
    if (s.kind == CREASE_RPCA_CP)
        crs_put_whole(to, "rank", s.rank);
    else
        crs_put_shape(to, "ranks", &s.ranks);
    crs_put_text(to, "penalty", text);
    crs_put_text(to, "groups", crs_given(j->a, CRS_OPT_GROUPS));
    crs_put_text(to, "weights", crs_given(j->a, CRS_OPT_WEIGHTS));
    crs_put_text(to, "penalty_hash", hash);
    crs_put_number(to, "alpha", s.alpha);
    crs_put_number(to, "alpha_noise", s.alpha_noise);
    crs_put_number(to, "ridge", s.ridge);
    crs_put_flag(to, "nonneg", s.nonneg);
    crs_put_text(to, "merge", crs_given(j->a, CRS_OPT_MERGE));
    crs_put_text(to, "center", crs_given(j->a, CRS_OPT_CENTER));
    crs_put_text(to, "noise", crs_given(j->a, CRS_OPT_NOISE_LEVELS));
    crs_put_flag(to, "missing", crs_given(j->a, CRS_OPT_MISSING));
}

static void put_settings(crs_spot to, const crs_rpca_job *j)
{
    const crease_rpca_settings *used = crease_rpca_used(j->fit);
    const crease_method m = crease_rpca_options_used(j->fit)->method;
    put_model(to, j);
    crs_put_flag(to, "rank_chosen", crease_rpca_about(j->fit)->rank_reason[0] != 0);
    crs_put_flag(to, "unconstrained", m == CREASE_METHOD_BCD || m == CREASE_METHOD_PROX_BCD);
    crs_put_text(to, "init", init(j, used));
    crs_put_whole(to, "seed", j->run.seed);
    crs_put_whole(to, "threads", used->threads);
}

static bool is_file(const char *text)
{
    return text && !crs_is_list(text) && strncmp(text, "fibres:", 7) != 0 &&
           strncmp(text, "slices:", 7) != 0;
}

void crs_rpca_put_data(const crs_args *a, crs_spot list, const crs_folder *f, const crs_data *data)
{
    const char *groups = crs_given(a, CRS_OPT_GROUPS), *weights = crs_given(a, CRS_OPT_WEIGHTS);
    const char *mask = crs_given(a, CRS_OPT_MASK);
    crs_put_data(list, f, data);
    if (mask)
        crs_put_data(list, f, &(crs_data){ .role = "mask", .path = mask, .shape = data->shape });
    if (is_file(groups)) crs_put_data(list, f, &(crs_data){ .role = "groups", .path = groups });
    if (is_file(weights)) crs_put_data(list, f, &(crs_data){ .role = "weights", .path = weights });
}

static void put_pilot(crs_spot to, const crs_rpca_job *j)
{
    const crease_rpca_facts *p = crease_rpca_about(j->fit);
    if (p->starts == 0) {
        crs_put_null(to, "pilot");
        return;
    }
    const crs_spot in = crs_put_object(to, "pilot");
    crs_put_whole(in, "starts", p->starts);
    crs_put_text(in, "start", p->start);
    crs_put_whole(in, "passes", p->start_passes);
    crs_put_number(in, "agreement", p->agreement);
    crs_put_number(in, "spread", p->spread);
    crs_put_number(in, "deviation", p->learned_deviation);
    crs_put_number(in, "threshold", p->learned_threshold);
    crs_put_number(in, "share", p->learned_share);
}

/* Entry k of the data as its indices. */
static void put_entry(crs_spot to, const char *key, const crease_space *s, ptrdiff_t k)
{
    crease_space at = *s;
    for (int n = s->order - 1; n >= 0; n--) {
        at.dim[n] = k % s->dim[n];
        k /= s->dim[n];
    }
    crs_put_shape(to, key, &at);
}

/* Of the arrays that are written: what is not 0 in the sparse part, what of it is clear, the noise
 * elsewhere, and how much of the data there the low-rank part explains. */
static void put_parts(crs_spot to, const crease_rpca_facts *f, const crease_space *given)
{
    const crs_spot in = crs_put_object(to, "parts");
    crs_put_whole(in, "observed", f->observed);
    crs_put_whole(in, "nonzeros", f->outliers);
    crs_put_number(in, "share", f->share);
    crs_put_number(in, "threshold", f->least);
    crs_put_number(in, "deviation", f->rms);
    crs_put_number(in, "noise", f->deviation);
    crs_put_number(in, "explained", f->explained);
    crs_put_number(in, "clear_beyond", CREASE_CLEAR * f->deviation);
    if (isnan(f->clear_share))
        crs_put_null(in, "clear");
    else
        crs_put_whole(in, "clear", f->clear);
    crs_put_number(in, "clear_share", f->clear_share);
    if (f->largest < 0) {
        crs_put_null(in, "largest");
        return;
    }
    const crs_spot top = crs_put_object(in, "largest");
    put_entry(top, "index", given, f->largest);
    crs_put_number(top, "rest", f->largest_rest);
    crs_put_number(top, "deviations", fabs(f->largest_rest) / f->deviation);
}

/* How noise differs, and whether the fit has levels for it. */
static void put_noise(crs_spot to, const crease_rpca *fit, const crease_rpca_facts *f)
{
    const crs_center_arrays own = crs_center_of(fit);
    if (f->noise_in < 0 && !f->noise_reason[0]) {
        crs_put_null(to, "noise_levels");
        return;
    }
    const crs_spot in = crs_put_object(to, "noise_levels");
    crs_put_text(in, "kind",
                 !own.level                              ? "global"
                 : own.shape.order == 2 && own.mode == 0 ? "per-row"
                                                         : "per-slice");
    if (f->noise_in < 0)
        crs_put_null(in, "mode");
    else
        crs_put_whole(in, "mode", f->noise_in);
    crs_put_number(in, "ratio", f->noise_ratio);
    crs_put_text(in, "reason", f->noise_reason[0] ? f->noise_reason : NULL);
}

static void put_foreground(crs_spot to, const crs_foreground *f)
{
    char clean[32];
    if (f->beyond == 0) {
        crs_put_null(to, "foreground");
        return;
    }
    const crs_spot in = crs_put_object(to, "foreground");
    snprintf(clean, sizeof clean, "median:%td", f->clean);
    crs_put_number(in, "beyond", f->beyond);
    crs_put_text(in, "clean", f->clean > 0 ? clean : NULL);
    crs_put_number(in, "noise", f->noise);
    crs_put_number(in, "share", f->share);
}

/* Each term: its weight, its share of the energy of all, and where its columns are largest. */
static void put_components(crs_spot to, const crs_rpca_job *j)
{
    const crease_space *s = &j->s.shape;
    const crs_spot list = crs_put_list(to, "components");
    for (ptrdiff_t k = 0; k < j->s.rank; k++) {
        const crs_spot term = crs_put_object(list, NULL);
        crease_space peak = *s;
        for (int n = 0; n < s->order; n++) peak.dim[n] = j->peak[k * s->order + n];
        crs_put_number(term, "weight", j->weight[k]);
        crs_put_number(term, "share", j->share[k]);
        crs_put_shape(term, "peak", &peak);
    }
}

static void put_audit(crs_spot to, const crs_rpca_job *j)
{
    const crease_report *r = crease_rpca_report(j->fit);
    crs_put_whole(to, "violations", r->audit_violations);
    crs_put_number(to, "worst", r->audit_worst);
    crs_put_whole(to, "accelerated", r->accelerated);
    crs_put_text(to, "note", r->note);
}

/* The terms of cp, or the ranks of a Tucker model. */
static void put_terms(crs_spot to, const crs_rpca_job *j)
{
    const crease_rpca_settings *used = crease_rpca_used(j->fit);
    if (used->kind != CREASE_RPCA_CP) {
        crs_put_shape(to, "ranks", &used->ranks);
        crs_tucker_put_cuts(to, crease_rpca_about(j->fit), used);
        crs_put_number(to, "fit_seconds", crease_rpca_about(j->fit)->fit_seconds);
        crs_put_number(to, "error_lowrank", j->error_lowrank);
        return;
    }
    crs_rpca_put_cuts(to, j);
    crs_rpca_put_ranks(to, j);
    put_components(to, j);
    crs_put_numbers(to, "weights", j->s.rank, j->weight);
    put_truth(to, j);
}

static void put_details(crs_spot to, const crs_rpca_job *j)
{
    const char *reason = crease_rpca_about(j->fit)->rank_reason;
    crs_put_text(to, "engine", crease_rpca_about(j->fit)->engine);
    crs_put_number(to, "forecast_bytes", j->bytes);
    crs_put_shape(to, "shape", &j->given);
    crs_put_shape(to, "model_shape", &j->s.shape);
    crs_put_whole(to, "missing", crease_rpca_about(j->fit)->missing);
    put_terms(to, j);
    crs_put_text(to, "rank_reason", reason[0] ? reason : NULL);
    put_pilot(to, j);
    put_parts(to, crease_rpca_about(j->fit), &j->given);
    put_noise(to, j->fit, crease_rpca_about(j->fit));
    put_foreground(to, &j->foreground);
    put_analysis(crs_put_object(to, "analysis"), j);
    put_audit(crs_put_object(to, "audit"), j);
    put_certificate(crs_put_object(to, "certificate"), j);
}

static crs_data data_of(const crs_rpca_job *j)
{
    return (crs_data){ .role = "data",
                       .path = j->a->word[0],
                       .shape = &j->given,
                       .hash = j->hash,
                       .asked = &j->asked,
                       .scale = j->data.scale };
}

void crs_rpca_result(const crs_rpca_job *j, crs_document *d)
{
    const crease_report *r = crease_rpca_report(j->fit);
    const crease_certificate *c = crease_rpca_certificate(j->fit);
    const bool relative = j->run.relative != 0;
    const crs_summary s = {
        .verb = "rpca",
        .model = j->s.kind == CREASE_RPCA_CP ? "cp" : crs_given(j->a, CRS_OPT_MODEL),
        .outcome = r->outcome,
        .outcome_text = status_text(j),
        .verdict = crease_verdict_text(j->verified.verdict),
        .verdict_text = j->verified.text,
        .exit_status = j->exit_status,
        .method = crease_method_name(crease_rpca_analysis(j->fit)->method),
        .objective = c->objective,
        .residual = relative ? c->worst_relative : c->worst,
        .eps = j->run.eps,
        .relative = relative,
        .iterations = r->iterations,
        .passes = crease_rpca_about(j->fit)->passes,
        .evaluations = r->evaluations,
        .watch = j->a->watch,
    };
    const crs_result out = crs_result_begin(d, &s);
    const crs_data data = data_of(j);
    crs_rpca_put_data(j->a, out.data, &j->folder, &data);
    crs_rpca_put_axes(j->a, &out, &j->data, &j->given);
    put_settings(out.settings, j);
    put_details(out.details, j);
}

static bool match_terms(crs_rpca_job *j, crease_error *e)
{
    const crease_space *s = &j->s.shape;
    crs_cp_terms found = { .rank = j->s.rank }, truth = { .rank = j->true_rank };
    if (j->true_rank == 0) return true;
    j->cosine = crs_doubles(j->true_rank * s->order, "the cosines", e);
    if (!j->cosine) return false;
    for (int n = 0; n < s->order; n++) {
        found.factor[n] = j->unit[n];
        truth.factor[n] = j->true_factor[n].data;
    }
    return crs_cp_cosines(s, &found, &truth, j->cosine, e);
}

/* |M - truth|/|truth| and |Z - truth|/|truth| */
static bool measure_errors(crs_rpca_job *j, crease_error *e)
{
    ptrdiff_t left, right;
    double sum[3] = { 0, 0, 0 };
    j->error_lowrank = j->error_z = NAN;
    if (!j->truth.f) return true;
    crease_rpca_rows(j->fit, &left, &right);
    double *m = crs_doubles(3 * right, "a row of the result", e), *z = m + right, *t = z + right;
    bool done = m;
    for (ptrdiff_t row = 0; done && row < left; row++) {
        crease_rpca_read(j->fit, CREASE_RPCA_LOWRANK, row, 1, m);
        crease_rpca_read(j->fit, CREASE_RPCA_Z, row, 1, z);
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
    const crease_rpca_settings *s = &j->s;
    const double *factor[CREASE_MAX_ORDER], *unit[CREASE_MAX_ORDER];
    j->weight = crs_doubles(2 * s->rank, "the weights", e);
    j->peak = crs_alloc((size_t)(s->rank * s->shape.order), sizeof *j->peak);
    if (!j->weight) return false;
    if (!j->peak) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the peaks");
    j->share = j->weight + s->rank;
    for (int n = 0; n < s->shape.order; n++) {
        factor[n] = crease_rpca_factor(j->fit, n);
        j->unit[n] = crs_doubles(s->shape.dim[n] * s->rank, "a factor", e);
        if (!j->unit[n]) return false;
        unit[n] = j->unit[n];
    }
    if (!crease_cp_components(&s->shape, s->rank, factor, j->unit, j->weight, e)) return false;
    crease_cp_peaks(&s->shape, s->rank, unit, j->weight, j->share, j->peak);
    return true;
}

/* The unit columns and the weights of cp, or the factors and the core of a Tucker model. */
static bool write_factors(crs_rpca_job *j, crease_error *e)
{
    const crease_rpca_settings *m = crease_rpca_used(j->fit);
    const bool cp = m->kind == CREASE_RPCA_CP;
    const crease_space weights = cp ? crease_vector(m->rank) : m->ranks;
    const double *last = cp ? j->weight : crease_rpca_core(j->fit);
    for (int n = 0; n < m->shape.order; n++) {
        const crease_space s = crease_matrix(m->shape.dim[n], cp ? m->rank : m->ranks.dim[n]);
        char name[32];
        crs_factor_file(n, name);
        if (!crs_folder_array(&j->folder, name, &s, cp ? j->unit[n] : crease_rpca_factor(j->fit, n),
                              e))
            return false;
    }
    return crs_folder_array(&j->folder, cp ? "weights.npy" : "core.npy", &weights, last, e) &&
           crs_center_write(&j->folder, j->fit, e) &&
           crs_folder_put(&j->folder, "history.csv", crs_history_put, j->a->watch, e);
}

/* certificate.json of the checker "rpca-cp" or "rpca-tucker" */
static bool write_certificate(crs_rpca_job *j, crease_error *e)
{
    crs_document d;
    const char *checker = j->s.kind == CREASE_RPCA_CP ? "rpca-cp" : "rpca-tucker";
    const crs_spot top =
        crs_certificate_begin(&d, "rpca", checker, j->run.eps, j->run.relative != 0);
    const crs_data data = data_of(j);
    crs_rpca_put_data(j->a, crs_put_list(top, "data"), &j->folder, &data);
    put_model(crs_put_object(top, "settings"), j);
    const crs_spot derived = crs_put_list(top, "derived"); /* of the others */
    for (int k = 0; k < 4; k++)
        if (!(j->write >> k & 1)) crs_put_text(derived, NULL, crs_rpca_part_name(k));
    return crs_folder_certify(&j->folder, &d, e);
}

/* Every rank checks rows of what was written, unless one of them cannot read it. The data were read
 * without an error, and each reads what it had. */
static bool check_over_ranks(crs_rpca_job *j, bool *together, crease_error *e)
{
    crs_rpca_told told = { .folder = j->folder.beside,
                           .threads = crs_given(j->a, CRS_OPT_THREADS),
                           .eps = j->run.eps };
    char *text = json_dumps(j->folder.certificate.root, JSON_COMPACT);
    ptrdiff_t right;
    *together = false;
    if (!text) return true;
    told.certificate = text;
    crease_rpca_rows(j->fit, &told.left, &right);
    const bool done = crs_rpca_tell(j->a->team, &told, e) &&
                      crs_rpca_assist(j->a->team, &told, j->a->watch, together, &j->verified, e);
    free(text);
    return done || !*together;
}

/* The terms of what was fitted, for the checker: factors and weights that it may change. */
static bool take_terms(const crs_rpca_job *j, const crs_center_arrays *c, double **factor,
                       double **weight, crease_error *e)
{
    const crease_rpca_settings *s = crease_rpca_used(j->fit);
    const ptrdiff_t size = c->level ? s->shape.dim[c->mode] * s->rank : 0;
    for (int n = 0; n < s->shape.order; n++) factor[n] = j->unit[n];
    *weight = j->weight;
    if (!c->level) return true;
    double *own = crs_doubles(size + s->rank, "the terms", e);
    if (!own) return false;
    copy(size, j->unit[c->mode], own);
    copy(s->rank, j->weight, own + size);
    factor[c->mode] = own;
    *weight = own + size;
    crs_noise_terms(c, s->rank, factor, *weight);
    return true;
}

bool crs_rpca_write(crs_rpca_job *j, crease_error *e)
{
    double *factor[CREASE_MAX_ORDER], *weight = NULL;
    const bool cp = j->s.kind == CREASE_RPCA_CP;
    crease_watch_enter(j->a->watch, CREASE_PHASE_WRITE);
    if (!cp) j->s.ranks = crease_rpca_used(j->fit)->ranks;
    if ((cp && !components(j, e)) || !match_terms(j, e) || !measure_errors(j, e) ||
        !crs_rpca_write_parts(j, e) || !crs_foreground_write(j, e) || !write_factors(j, e) ||
        !write_certificate(j, e))
        return false;
    for (int n = 0; !cp && n < j->s.shape.order; n++)
        factor[n] = (double *)(uintptr_t)crease_rpca_factor(j->fit, n); /* which is not changed */
    const crs_center_arrays center = crs_center_of(j->fit);
    if (cp && !take_terms(j, &center, factor, &weight, e)) return false;
    const crs_rpca_claim claim = { .list = crs_is_listed(j->source) ? j->source->listed : NULL,
                                   .folder = j->folder.beside,
                                   .s = *crease_rpca_used(j->fit),
                                   .unit = factor,
                                   .weight = weight,
                                   .core = cp ? NULL : crease_rpca_core(j->fit),
                                   .fit = j->fit,
                                   .center = &center,
                                   .parts = j->write,
                                   .eps = j->run.eps,
                                   .relative = j->run.relative != 0,
                                   .threads = j->s.threads,
                                   .watch = j->a->watch };
    crease_watch_enter(j->a->watch, CREASE_PHASE_CHECK);
    crease_watch_reserve(j->a->watch, 0); /* the arrays are there */
    bool together = false;
    bool done = !j->source || !j->source->team || !j->folder.path ||
                crs_is_memory(j->folder.path) || check_over_ranks(j, &together, e);
    if (!together) done = crs_rpca_check(&claim, &j->verified, e);
    if (center.level) crs_free(factor[center.mode]);
    crease_watch_enter(j->a->watch, CREASE_PHASE_WRITE);
    return done;
}

void crs_tucker_result(const crs_tucker_job *j, const crs_run *run, crs_document *d)
{
    const crease_rpca_facts *f = crease_rpca_about(j->fit);
    const crease_rpca_settings *used = crease_rpca_used(j->fit);
    crs_summary s = crs_run_summary(run);
    char penalty[160];
    s.model = crs_given(j->a, CRS_OPT_MODEL);
    s.passes = f->start_passes;
    const crs_result out = crs_result_begin(d, &s);
    crs_put_run(&out, j->lasting ? &j->folder : NULL, run);
    const crs_data data = { .role = "data",
                            .path = j->a->word[0],
                            .shape = &j->given,
                            .hash = j->hash,
                            .asked = &j->asked,
                            .scale = j->data.scale };
    crs_rpca_put_data(j->a, out.data, j->lasting ? &j->folder : NULL, &data);
    crs_rpca_put_axes(j->a, &out, &j->data, &j->given);
    crs_reg_text(&j->penalty, &used->penalty, penalty, sizeof penalty);
    crs_put_shape(out.settings, "ranks", &used->ranks);
    crs_put_text(out.settings, "penalty", penalty);
    crs_put_number(out.settings, "alpha", used->alpha);
    crs_put_number(out.settings, "alpha_noise", used->alpha_noise);
    crs_put_number(out.settings, "eta", used->kind == CREASE_RPCA_BALL ? used->eta : NAN);
    crs_put_text(out.settings, "merge", crs_given(j->a, CRS_OPT_MERGE));
    crs_put_text(out.settings, "center", crs_given(j->a, CRS_OPT_CENTER));
    crs_put_flag(out.settings, "missing", crs_given(j->a, CRS_OPT_MISSING));
    crs_put_whole(out.settings, "threads", used->threads);
    crs_put_shape(out.details, "shape", &j->given);
    crs_put_shape(out.details, "model_shape", &used->shape);
    crs_put_shape(out.details, "ranks", &used->ranks);
    crs_tucker_put_cuts(out.details, f, used);
    crs_put_text(out.details, "rank_reason", f->rank_reason[0] ? f->rank_reason : NULL);
    crs_put_number(out.details, "fit_seconds", f->fit_seconds);
    crs_put_whole(out.details, "missing", f->missing);
    if (used->kind == CREASE_RPCA_PCP) crs_put_number(out.details, "gap", f->gap);
    put_parts(out.details, f, &j->given);
    crs_put_number(out.details, "error_lowrank", j->error);
}
