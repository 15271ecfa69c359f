/* SPDX-License-Identifier: MIT
 * spca: the leading sparse rank-one terms of a tensor or matrix: options, data, run,
 * and the components as text, arrays, result.json and certificate.json */
#include "cli/cli.h"

typedef struct {
    const crs_args *a;
    crease_options o;
    crs_named_reg penalty;
    char penalty_text[160]; /* with all its parameters */
    crs_folder folder;
    crease_spca_settings s;
    ptrdiff_t components; /* asked for */
    double noise_times;   /* > 0: the threshold is so many times the noise */

    crs_array data;
    crs_asked asked;     /* how they were read */
    char hash[CRS_HASH]; /* of the data */
    crease_spca *model;
    double norm;                      /* of the data */
    int run;                          /* components that were run: found, or the first zero */
    bool stopped;                     /* by a signal or the clock, with components left to find */
    crease_spca_component *component; /* `components` places */
    double *factor[CREASE_MAX_ORDER]; /* unit columns; zeros for what was not found */
    double *point[CREASE_MAX_ORDER];  /* x_i itself */
    double *weight, *left;            /* sigma, and |T| after each component */
    int worst;                        /* the component that decides the exit status */
    int exit_status;
} crs_spca_job;

/* Entries of column k of factor n that are not 0. */
static ptrdiff_t support_of(const crs_spca_job *j, int n, int k)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < j->s.shape.dim[n]; i++)
        count += j->factor[n][i * j->components + k] != 0;
    return count;
}

static void print_component(const crs_spca_job *j, int k)
{
    const crease_spca_component *c = &j->component[k];
    const double before = k > 0 ? j->component[k - 1].norm : j->norm;
    const double part = j->norm > 0 ? (square(before) - square(c->norm)) / square(j->norm) : 0;
    char label[32], support[400] = "";
    snprintf(label, sizeof label, "component %d", k + 1);
    if (c->zero) {
        crs_line(label, "nothing found: all %d starts ended at 0 with alpha %.3g%s", c->starts,
                 c->alpha, j->norm > 0 ? "; a smaller --alpha finds more" : ", for the data are 0");
        return;
    }
    for (int n = 0, used = 0; n < j->s.shape.order && used < (int)sizeof support; n++)
        used += snprintf(support + used, sizeof support - (size_t)used, "%s%td of %td",
                         n ? ", " : "", support_of(j, n, k), j->s.shape.dim[n]);
    crs_line(
        label,
        "explains %.3g %% of the data; %s entries are not 0; %d of %d starts agree; alpha %.3g%s%s",
        100 * part, support, c->agree, c->starts, c->alpha,
        c->verdict == CREASE_VERDICT_VALID ? "" : "; checked: ",
        c->verdict == CREASE_VERDICT_VALID ? "" : crease_verdict_text(c->verdict));
}

static void print(const crs_spca_job *j)
{
    const crease_spca_component *c = &j->component[0], *worst = &j->component[j->worst];
    const double left = j->component[j->run - 1].norm;
    const crs_trust trust = { .outcome = worst->outcome,
                              .verdict = worst->verdict,
                              .residual = worst->smallest_eps,
                              .eps = j->o.eps,
                              .relative = j->o.relative != 0 };
    char shape[400];
    long iterations = 0;
    crs_named_shape(&j->s.shape, &j->data.axes, shape, sizeof shape);
    crs_say_doubt(j->a, &trust);
    crs_print("%s  %s\n\n", j->a->word[0], shape);
    for (int k = 0; k < j->run; k++) {
        print_component(j, k);
        iterations += j->component[k].iterations;
    }
    if (j->run > 1 && j->norm > 0)
        crs_line("together", "%.3g %% of the data", 100 * (1 - square(left / j->norm)));
    if (j->stopped)
        crs_line("stopped", "after %d of %td components, which is what there is", j->run,
                 j->components);
    crs_say_trust(j->a, &trust);
    crs_say_steps(&trust, iterations, c->method, c->theorem);
    crs_say_place(j->a, &j->folder);
}

/* "x_2.npy" */
static bool write_modes(crs_spca_job *j, const char *what, double *const *x, crease_error *e)
{
    char name[32];
    for (int n = 0; n < j->s.shape.order; n++) {
        const crease_space s = crease_matrix(j->s.shape.dim[n], j->components);
        snprintf(name, sizeof name, "%s_%d.npy", what, n + 1);
        if (!crs_folder_array(&j->folder, name, &s, x[n], e)) return false;
    }
    return true;
}

static void put_source(const crs_spca_job *j, crs_spot list)
{
    const crs_data data = { .role = "data",
                            .path = j->a->word[0],
                            .shape = &j->s.shape,
                            .hash = j->hash,
                            .asked = &j->asked,
                            .scale = j->data.scale };
    crs_put_data(list, &j->folder, &data);
}

static bool write_certificate(crs_spca_job *j, crease_error *e)
{
    crs_document d;
    const crs_spot top = crs_certificate_begin(&d, "spca", "spca", j->o.eps, j->o.relative != 0);
    put_source(j, crs_put_list(top, "data"));
    crs_put_text(top, "penalty", j->penalty_text);
    crs_put_text(top, "measure", j->component[0].method == CREASE_METHOD_GCG ? "gap" : "blocks");
    const crs_spot list = crs_put_list(top, "alpha");
    for (int k = 0; k < j->run; k++) crs_put_exact(list, NULL, j->component[k].alpha);
    return crs_folder_certify(&j->folder, &d, e);
}

static bool write(crs_spca_job *j, crease_error *e)
{
    const crease_space numbers = crease_vector(j->components);
    return write_modes(j, "factor", j->factor, e) && write_modes(j, "x", j->point, e) &&
           crs_folder_array(&j->folder, "weights.npy", &numbers, j->weight, e) &&
           crs_folder_array(&j->folder, "residual_norms.npy", &numbers, j->left, e) &&
           crs_folder_put(&j->folder, "history.csv", crs_history_put, j->a->watch, e) &&
           write_certificate(j, e);
}

static void put_component(const crs_spca_job *j, int k, crs_spot to)
{
    const crease_spca_component *c = &j->component[k];
    crs_put_number(to, "sigma", c->sigma);
    crs_put_number(to, "alpha", c->alpha);
    crs_put_number(to, "objective", c->objective);
    crs_put_number(to, "residual_norm", c->norm);
    const crs_spot support = crs_put_list(to, "nonzeros");
    for (int n = 0; n < j->s.shape.order; n++) crs_put_whole(support, NULL, support_of(j, n, k));
    crs_put_numbers(to, "lengths", j->s.shape.order, c->length);
    crs_put_flag(to, "zero", c->zero);
    crs_put_text(to, "status", crease_outcome_text(c->outcome));
    crs_put_whole(to, "starts", c->starts);
    crs_put_whole(to, "kept_start", c->start);
    crs_put_whole(to, "agree", c->agree);
    crs_put_whole(to, "iterations", c->iterations);
    crs_put_number(to, "seconds", c->seconds);
    const crs_spot certificate = crs_put_object(to, "certificate");
    crs_put_text(certificate, "verdict", crease_verdict_text(c->verdict));
    crs_put_number(certificate, "smallest_eps", c->smallest_eps);
    crs_put_number(certificate, "eps", c->eps);
    crs_put_flag(certificate, "relative", j->o.relative != 0);
    crs_put_text(certificate, "measure",
                 c->method == CREASE_METHOD_GCG ? "-psi_S" : "gap of every block");
    crs_put_text(certificate, "theorem", c->theorem ? c->theorem : "none");
}

static void put_settings(const crs_spca_job *j, crs_spot to)
{
    const bool given = j->s.alpha > 0, noisy = !given && j->s.threshold > 0;
    crs_put_text(to, "penalty", j->penalty_text);
    if (given)
        crs_put_number(to, "alpha", j->s.alpha);
    else
        crs_put_text(to, "alpha", noisy ? "noise" : "auto");
    crs_put_number(to, "fraction", given || noisy ? NAN : j->s.fraction);
    crs_put_number(to, "threshold", noisy ? j->s.threshold : NAN);
    crs_put_whole(to, "components", j->components);
    crs_put_whole(to, "starts", j->s.starts);
    crs_put_text(to, "mode", crease_mode_name(j->o.mode));
    crs_put_whole(to, "seed", (long long)j->s.seed);
}

static void put_result(const crs_spca_job *j, crs_document *d)
{
    const crease_spca_component *c = &j->component[j->worst];
    crs_summary s = { .verb = "spca",
                      .model = "spca",
                      .outcome = c->outcome,
                      .verdict = crease_verdict_text(c->verdict),
                      .exit_status = j->exit_status,
                      .method = crease_method_name(c->method),
                      .objective = j->component[0].objective,
                      .residual = c->smallest_eps,
                      .eps = j->o.eps,
                      .relative = j->o.relative != 0,
                      .passes = -1,
                      .evaluations = -1,
                      .watch = j->a->watch };
    char text[80];
    snprintf(text, sizeof text, "component %d decides", j->worst + 1);
    s.verdict_text = text;
    for (int k = 0; k < j->run; k++) s.iterations += j->component[k].iterations;
    const double left = j->component[j->run - 1].norm;
    const crs_result r = crs_result_begin(d, &s);
    put_source(j, r.data);
    crs_put_axes(r.top, "axes", &j->data.axes, j->s.shape.order);
    put_settings(j, r.settings);
    crs_put_flag(r.details, "stopped", j->stopped);
    crs_put_shape(r.details, "shape", &j->s.shape);
    crs_put_number(r.details, "norm", j->norm);
    crs_put_number(r.details, "explained", j->norm > 0 ? 1 - square(left / j->norm) : 0);
    const crs_spot list = crs_put_list(r.details, "components");
    for (int k = 0; k < j->run; k++) put_component(j, k, crs_put_object(list, NULL));
}

/* A number > 0, auto, auto:FRACTION, noise or noise:TIMES */
static bool read_alpha(crs_spca_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_ALPHA);
    if (!text || strcmp(text, "auto") == 0) return true;
    if (strcmp(text, "noise") == 0) return j->noise_times = 4, true;
    if (strncmp(text, "noise:", 6) == 0)
        return (crs_parse_double(text + 6, &j->noise_times) && j->noise_times > 0 &&
                j->noise_times < INFINITY) ||
               crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--alpha %.64s: how many times the noise must be a number > 0, as noise:4",
                        text);
    if (strncmp(text, "auto:", 5) == 0)
        return (crs_parse_double(text + 5, &j->s.fraction) && j->s.fraction > 0 &&
                j->s.fraction < 1) ||
               crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--alpha %.64s: the fraction must be a number between 0 and 1, as auto:0.2",
                        text);
    return (crs_parse_double(text, &j->s.alpha) && j->s.alpha > 0 && j->s.alpha < INFINITY) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "--alpha %.64s is outside its range: give a number > 0, auto, auto:F, noise or "
                    "noise:Z",
                    text);
}

static bool read_penalty(crs_spca_job *j, crease_error *e)
{
    if (!crs_penalty_open(crs_given(j->a, CRS_OPT_PENALTY), &j->penalty, e)) return false;
    const crease_reg_ops *ops = j->penalty.reg.ops;
    if (ops->vector || crs_reg_wants_groups(ops) || crs_reg_wants_matrix(ops))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "--penalty %s does not fit vectors of every length, as sparse PCA needs; "
                        "use l1, l0, mcp, scad, lsp, elastic-net or huber",
                        j->penalty.spec.name);
    j->s.penalty = j->penalty.reg;
    int used = snprintf(j->penalty_text, sizeof j->penalty_text, "%s", j->penalty.spec.name);
    for (int k = 0; j->penalty.params && j->penalty.params[k].name; k++)
        used += snprintf(j->penalty_text + used, sizeof j->penalty_text - (size_t)used, "%c%.17g",
                         k ? ',' : ':', j->penalty.reg.par[k]);
    return true;
}

static bool read_options(crs_spca_job *j, crease_error *e)
{
    const crease_space any = crease_matrix(1, 1);
    double components, starts;
    j->s = crease_spca_default(&any);
    j->s.fraction = 0; /* by the order of the data */
    j->o = crease_options_default();
    j->o.relative = 1;
    if (!crs_option_integer(j->a, CRS_OPT_starts, 1, 1e6, 10, &starts, e) ||
        !crs_run_options(j->a, &j->o, e) || !read_penalty(j, e) || !read_alpha(j, e) ||
        !crs_option_integer(j->a, CRS_OPT_COMPONENTS, 1, 1 << 20, 1, &components, e))
        return false;
    j->o.starts = crease_options_default().starts; /* --starts are this model's own */
    if (j->o.method != CREASE_METHOD_AUTO && j->o.method != CREASE_METHOD_PROX_BCD &&
        j->o.method != CREASE_METHOD_GCG)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "--method %s does not suit sparse PCA, which has no constraint; use "
                        "prox-bcd or gcg",
                        crease_method_name(j->o.method));
    j->components = (ptrdiff_t)components;
    j->s.starts = (int)starts;
    j->s.seed = (uint64_t)j->o.seed;
    return true;
}

static void discard(crs_spca_job *j)
{
    crease_spca_free(j->model);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(j->factor[n]), crs_free(j->point[n]);
    crs_folder_abandon(&j->folder);
    crs_free(j->component);
    crs_free(j->weight);
    crs_free(j->left);
    crs_array_free(&j->data);
    crs_reg_close(&j->penalty);
}

/* What the model and the results take, from the shape alone. */
static bool suffices(const crs_spca_job *j, const crease_space *shape, crease_error *e)
{
    crease_spca_settings s = j->s;
    double results = 3 + sizeof *j->component / 8.0;
    s.shape = *shape;
    for (int n = 0; n < shape->order; n++) results += (double)shape->dim[n];
    const double bytes = crease_spca_bytes(&s) + 8 * (double)crease_size(shape) +
                         8 * results * (double)j->components;
    return crs_memory_suffices("sparse PCA of this tensor", bytes, e);
}

static bool read_data(crs_spca_job *j, crease_error *e)
{
    const char *path = j->a->word[0];
    crease_space claimed; /* by many files, before their items are read */
    if (!crs_asked_of(j->a, &j->asked, e)) return false;
    if (crs_read_shape(path, &j->asked, &claimed) && !suffices(j, &claimed, e)) return false;
    if (!crs_read_data(j->a, path, &j->asked, &j->data, e) ||
        !crs_data_finite(&j->data, false, NULL, e))
        return false;
    crs_array_hash(&j->data, j->hash);
    if (!crs_checkpoint_bind(j->a, "the data", j->hash, e)) return false;
    j->s.shape = j->data.shape;
    if (j->s.shape.order < 2)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "the data have 1 dimension; give a matrix or a tensor");
    if (j->s.fraction == 0) j->s.fraction = crease_spca_default(&j->s.shape).fraction;
    return suffices(j, &j->s.shape, e);
}

/* Without noise there is no threshold, and the fraction decides. */
static bool measure_noise(crs_spca_job *j, crease_error *e)
{
    double noise;
    if (!(j->noise_times > 0)) return true;
    if (!crease_spca_noise(&j->s.shape, j->data.data, &noise, e)) return false;
    j->s.threshold = j->noise_times * noise;
    return j->s.threshold < INFINITY ||
           crs_fail(e, CREASE_BAD_DATA, "%g times the noise %g overflows; rescale the data",
                    j->noise_times, noise);
}

static bool allocate(crs_spca_job *j, crease_error *e)
{
    const ptrdiff_t K = j->components;
    j->component = crs_alloc((size_t)K, sizeof *j->component);
    if (!j->component) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the components");
    j->weight = crs_doubles(K, "the weights", e);
    j->left = crs_doubles(K, "the residual norms", e);
    for (int n = 0; n < j->s.shape.order; n++) {
        j->factor[n] = crs_doubles(K * j->s.shape.dim[n], "a factor", e);
        j->point[n] = crs_doubles(K * j->s.shape.dim[n], "a factor", e);
        if (!j->factor[n] || !j->point[n]) return false;
    }
    return j->weight && j->left;
}

/* Whatever the theory or the method refuses is refused before anything is written. */
static bool build(crs_spca_job *j, crease_error *e)
{
    crease_options o = j->o;
    if (o.method == CREASE_METHOD_AUTO) o.method = CREASE_METHOD_PROX_BCD;
    j->model = crease_spca_new(&j->s, j->data.data, e);
    (void)crease_watch_over(j->a->watch); /* gives looks */
    crease_analysis *a = j->model ? crease_analyse(crease_spca_problem(j->model), &o, e) : NULL;
    const bool done = a;
    crease_analysis_free(a);
    return done && allocate(j, e);
}

static void keep(crs_spca_job *j, int k)
{
    const crease_spca_component *c = &j->component[k];
    j->weight[k] = c->sigma;
    for (int n = 0; n < j->s.shape.order; n++)
        for (ptrdiff_t i = 0; i < j->s.shape.dim[n]; i++) {
            const ptrdiff_t at = i * j->components + k;
            j->point[n][at] = c->x[n][i];
            j->factor[n][at] = c->zero ? 0 : c->x[n][i] / c->length[n];
        }
    for (ptrdiff_t l = k; l < j->components; l++) j->left[l] = c->norm;
}

/* Is there a reason to seek no further component? Where only 0 remains, so it would again. */
static bool ends(crs_spca_job *j, const crease_spca_component *c)
{
    const bool over = crease_watch_over(j->a->watch);
    if (c->zero && !over) return true;
    j->stopped = j->run < j->components && over;
    return j->stopped;
}

/* The worst of its components decides; less than was asked for is a limit. */
static void judge(crs_spca_job *j)
{
    int worst = -1;
    for (int k = 0; k < j->run; k++) {
        const crease_spca_component *c = &j->component[k];
        const bool valid = c->verdict == CREASE_VERDICT_VALID;
        const int mine = valid ? 0 : crs_exit_of_run(c->outcome, c->verdict);
        if (mine > worst) worst = mine, j->worst = k;
    }
    j->exit_status = worst == 0 && j->stopped ? crs_exit_of_run(CREASE_STOPPED, 0) : worst;
}

/* The time limit is for all components together. */
static bool find(crs_spca_job *j, crease_error *e)
{
    crs_log_table(j->a, j->o.certify_every);
    for (int k = 0; k < j->components; k++) {
        if (!crease_spca_next(j->model, &j->o, &j->component[k], e)) return false;
        j->run = k + 1;
        keep(j, k);
        if (ends(j, &j->component[k])) break;
    }
    crs_log_rows(j->a);
    judge(j);
    return true;
}

static bool deliver(crs_spca_job *j, crease_error *e)
{
    crs_document d;
    crease_watch_enter(j->a->watch, CREASE_PHASE_WRITE);
    put_result(j, &d);
    bool done = write(j, e) && crs_folder_commit(&j->folder, &d, e);
    if (done && crs_given(j->a, CRS_OPT_JSON))
        done = crs_document_print(&d, false, e);
    else if (done)
        print(j);
    crs_document_free(&d);
    return done;
}

static void foretell(const crs_spca_job *j)
{
    const crease_space *s = &j->s.shape;
    const double n = (double)crease_size(s);
    const crs_dry_work work = { (double)j->components * j->s.starts * 8 * s->order * n, 10, 200,
                                "iterations from every start" };
    char shape[400], names[400] = "weights.npy, residual_norms.npy, history.csv";
    crs_named_shape(s, &j->data.axes, shape, sizeof shape);
    crs_print("%s  %s\n\n", j->a->word[0], shape);
    crs_line("model", "%td sparse rank-one term%s, %s", j->components,
             j->components == 1 ? "" : "s", j->penalty_text);
    crs_line("starts", "%d for each", j->s.starts);
    crs_dry_memory(8 * (2 + s->order) * n);
    crs_dry_time(j->a, &work);
    for (int k = 0; k < s->order; k++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, ", factor_%d.npy, x_%d.npy", k + 1, k + 1);
    }
    crs_dry_files(j->a, names);
}

static bool run(const crs_args *a, crease_error *e)
{
    crs_spca_job j = { .a = a };
    bool done = read_options(&j, e) && crs_folder_of(a, &j.folder, e) && read_data(&j, e);
    crease_watch_enter(a->watch, CREASE_PHASE_START);
    done = done && measure_noise(&j, e) && build(&j, e);
    if (done && crs_dry(a)) {
        foretell(&j);
    } else if (done) {
        j.norm = crease_spca_norm(j.model);
        done = find(&j, e) && deliver(&j, e);
        if (done) *a->status = j.exit_status;
    }
    discard(&j);
    return done;
}

const crs_verb crs_spca_verb = {
    .name = "spca",
    .words = "DATA",
    .word = CRS_KIND_FILE,
    .least = 1,
    .most = 1,
    .text = "Find the leading sparse rank-one terms of a tensor or matrix. Each minimizes -T(x_1, "
            "..., x_d) + alpha sum R(x_i) with |x_i| <= 1, by prox-bcd or gcg from several starts, "
            "and is subtracted before the next. --alpha is a number; auto (the default) chooses it "
            "so that entries of T(.., x_j, ..) below 1/(2d) of the largest vanish at the first "
            "start, auto:F below a fraction F; noise takes 4 times (noise:Z, Z times) the noise as "
            "estimated from the median of |T|, and finds nothing where only noise is left. The "
            "folder receives the unit columns factor_1.npy, ..., weights.npy, residual_norms.npy, "
            "the points x_1.npy, ..., result.json, and certificate.json for crease verify. eps is "
            "relative unless --relative 0 is given. The exit code is 0 if the independent checker "
            "finds every component VALID, 2 at a limit, 3 if the run diverged. Ctrl-C ends the "
            "search and writes the components found so far.",
    .example = "crease spca instance/tensor.npy --components 2 --out sparse",
    .takes = CRS_LIST(
        CRS_OFFERS(METHOD, "auto|prox-bcd|gcg", "auto, prox-bcd or gcg (default auto)"),
        CRS_DROPS(audit),
        CRS_SAYS(starts, "points to start from; the best result is kept (default 10)"),
        CRS_DROPS(continuation), CRS_TAKES_RUN,
        CRS_SAYS(PENALTY, "penalty of every vector (default l1)"),
        CRS_OFFERS(
            ALPHA, "auto|noise",
            "weight of the penalty: a number, auto, auto:F, noise or noise:Z (default auto)"),
        CRS_TAKES(COMPONENTS), CRS_TAKES_READING, CRS_TAKES_CHECKPOINT, CRS_TAKES(OUT),
        CRS_TAKES(FORMAT), CRS_TAKES(REPORT), CRS_TAKES(FORCE), CRS_TAKES_ROWS, CRS_TAKES(JSON)),
    .relative = true,
    .run = run,
};
