/* SPDX-License-Identifier: MIT
 * apply: new slices seen through the factors of a result
 *
 * A Tucker or matrix model is one of order two for its slices: coefficients times the product of
 * the core with the other factors, unfolded along the mode of the slices. */
#include "cli/apply.h"
#include "rpca/rpca.h"

static const double slice_eps = 1e-6; /* relative */

void crs_apply_discard(crs_apply_job *j)
{
    for (ptrdiff_t i = 0; j->found && i < j->shape.dim[j->mode]; i++)
        crease_verification_free(&j->found[i]);
    crs_free(j->found);
    crs_row_reader_close(j->rows);
    crs_folder_abandon(&j->folder);
    crs_array_free(&j->core);
    crs_axes_free(&j->axes);
    crs_center_close(&j->center);
    crs_free(j->design);
    crs_free(j->noise);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_array_free(&j->factor[n]);
    crs_array_free(&j->weight);
    crs_array_free(&j->data);
    crs_array_free(&j->mask);
    crs_free(j->out.coefficients);
    crs_free(j->out.lowrank);
    crs_free(j->out.sparse);
    crs_free(j->out.score);
    crs_reg_close(&j->penalty);
}

/* Data of one order less than the model are one slice. */
static bool fit_shape(crs_apply_job *j, crease_error *e)
{
    crease_space *s = &j->shape;
    *s = j->given;
    if (s->order == j->order - 1) {
        for (int n = s->order++; n > j->mode; n--) s->dim[n] = s->dim[n - 1];
        s->dim[j->mode] = 1;
    }
    if (s->order != j->order)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "the data have %d dimensions and the model %d; give the same, or one less "
                        "for a single slice",
                        j->given.order, j->order);
    for (int n = 0; n < s->order; n++)
        if (n != j->mode && s->dim[n] != j->factor[n].shape.dim[0])
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "axis %d of the data has length %td and the model %td; name the axis "
                            "along which the data are new by --axis N, counted from 0",
                            n, s->dim[n], j->factor[n].shape.dim[0]);
    return true;
}

/* Axes are counted from 0, as those of --merge and --groups. */
static bool read_options(crs_apply_job *j, crease_error *e)
{
    const char *missing = crs_given(j->a, CRS_OPT_MISSING);
    crease_error why;
    double axis;
    if (missing && strcmp(missing, "nan") != 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--missing %.64s: write --missing nan, or mark entries by --mask FILE",
                        missing);
    if (!crs_option_integer(j->a, CRS_OPT_AXIS, 0, j->order - 1, 0, &axis, &why))
        return crs_fail(e, why.code, "%.300s; axes are counted from 0", why.text);
    j->mode = (int)axis;
    j->s.missing = missing;
    return crs_asked_of(j->a, &j->asked, e);
}

/* The constants of new indices are not known. */
static bool read_center(crs_apply_job *j, crease_error *e)
{
    crease_space s = j->shape;
    s.dim[j->mode] = j->factor[j->mode].shape.dim[0];
    if (!crs_center_read(j->from, &s, &j->center, e)) return false;
    if (j->center.value[j->mode + 1])
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "the model was centered for every index of axis %d, along which the data "
                        "are new; fit it with --center all or other modes, or name another --axis",
                        j->mode);
    if (j->center.level && j->center.mode == j->mode)
        return crs_fail(
            e, CREASE_UNSUPPORTED,
            "the noise of the model has a level for every index of axis %d, along which "
            "the data are new; fit it with --noise global or per-slice:N of another "
            "mode, or name another --axis",
            j->mode);
    j->center.shape = j->shape;
    crs_array *x = j->center.level ? &j->factor[j->center.mode] : NULL;
    for (ptrdiff_t k = 0; x && k < crease_size(&x->shape); k++)
        x->data[k] /= j->center.level[k / x->shape.dim[1]];
    return true;
}

bool crs_apply_fit(crs_apply_job *j, crease_error *e)
{
    return fit_shape(j, e) && crs_slices_suit(&j->data, j->mode, &j->axes, j->axes_order, e) &&
           read_center(j, e);
}

bool crs_apply_data(crs_apply_job *j, crease_error *e)
{
    if (!crs_read_data(j->a, j->path, &j->asked, &j->data, e)) return false;
    j->s.missing = j->s.missing || j->data.gaps;
    crs_array_hash(&j->data, j->hash);
    if (!crs_array_own(&j->data, e)) return false; /* which is unfolded in its place */
    j->given = j->data.shape;
    if (j->masked && !crs_read_mask(j->masked, &j->mask, e)) return false;
    if (j->masked && !crease_space_equal(&j->mask.shape, &j->given))
        return crs_fail(e, CREASE_BAD_SHAPE, "--mask does not have the shape of the data");
    j->s.mask = j->mask.data;
    if (j->masked) crs_array_hash(&j->mask, j->mask_hash);
    if (!crs_data_finite(&j->data, j->s.missing, j->mask.data, e) || !crs_apply_fit(j, e))
        return false;
    crs_center_shift(&j->center, -1, 0, crease_size(&j->shape), j->data.data);
    return true;
}

/* t x_n X of a tensor in the shape s, which becomes that of the product; t is freed. */
static double *times_factor(double *t, crease_space *s, int n, const crs_array *x, crease_error *e)
{
    const ptrdiff_t rows = x->shape.dim[0], columns = s->dim[n];
    ptrdiff_t before = 1, after = 1;
    for (int k = 0; k < n; k++) before *= s->dim[k];
    for (int k = n + 1; k < s->order; k++) after *= s->dim[k];
    s->dim[n] = rows;
    double *out =
        t && crease_space_check(s, e) ? crs_doubles(crease_size(s), "the terms", e) : NULL;
    for (ptrdiff_t at = 0; out && at < before * rows * columns; at++) {
        const ptrdiff_t b = at / (rows * columns), i = at / columns % rows, c = at % columns;
        const double f = x->data[i * columns + c];
        axpy(after, f, t + (b * columns + c) * after, out + (b * rows + i) * after);
    }
    crs_free(t);
    return out;
}

/* prod_{n != mode} X_n[i_n, r] for the entries of a slice */
static void multiply_factors(const crs_apply_job *j, ptrdiff_t entries)
{
    const ptrdiff_t rank = j->s.rank;
    for (ptrdiff_t k = 0; k < entries * rank; k++) {
        ptrdiff_t at = k / rank;
        j->design[k] = 1;
        for (int n = j->order - 1; n >= 0; n--) {
            if (n == j->mode) continue;
            const ptrdiff_t rows = j->factor[n].shape.dim[0];
            j->design[k] *= j->factor[n].data[at % rows * rank + k % rank];
            at /= rows;
        }
    }
}

/* The core times all factors but one, a row per entry of a slice. */
static bool multiply_core(const crs_apply_job *j, ptrdiff_t entries, crease_error *e)
{
    crease_space s = j->core.shape;
    const ptrdiff_t own = j->s.rank;
    double *t = crs_doubles(crease_size(&s), "the core", e);
    if (t) copy(crease_size(&s), j->core.data, t);
    for (int n = 0; t && n < j->order; n++)
        if (n != j->mode) t = times_factor(t, &s, n, &j->factor[n], e);
    for (ptrdiff_t k = 0; t && k < entries * own; k++)
        j->design[k] = t[place(&s, j->mode, k % own, k / own)];
    const bool done = t;
    crs_free(t);
    return done;
}

bool crs_apply_design(crs_apply_job *j, crease_error *e)
{
    const ptrdiff_t entries = entries_of(j);
    j->s.rank = j->factor[j->mode].shape.dim[1];
    j->design = crs_doubles(entries * j->s.rank, "the terms", e);
    if (!j->design) return false;
    if (!j->cp && !j->bounded) return multiply_core(j, entries, e);
    multiply_factors(j, entries); /* of two factors without a core it is the other one */
    return true;
}

/* x of the shape of the data, or with `back` the other way: slices x entries. */
static bool unfold(const crs_apply_job *j, bool back, double *x, crease_error *e)
{
    const ptrdiff_t size = crease_size(&j->shape), slices = j->shape.dim[j->mode];
    const ptrdiff_t entries = size / slices;
    if (j->mode == 0) return true; /* they lie so */
    double *was = crs_doubles(size, "the slices", e);
    if (!was) return false;
    copy(size, x, was);
    for (ptrdiff_t k = 0; k < size; k++) {
        const ptrdiff_t at = place(&j->shape, j->mode, k / entries, k % entries);
        x[back ? at : k] = was[back ? k : at];
    }
    crs_free(was);
    return true;
}

/* The model as it is, or as one of order two. */
bool crs_apply_terms(crs_apply_job *j, crease_error *e)
{
    for (int k = 0; k < j->order; k++) j->use[k] = j->factor[k].data;
    j->s.factor = j->use;
    j->s.penalty = j->penalty.reg;
    j->s.trained = j->factor[j->mode].data;
    j->s.trained_count = j->factor[j->mode].shape.dim[0];
    j->s.shape = j->shape;
    j->s.mode = j->mode;
    if (!crs_apply_design(j, e)) return false;
    if (j->cp) return true;
    const ptrdiff_t slices = j->shape.dim[j->mode];
    if (!unfold(j, false, j->data.data, e) || (j->mask.data && !unfold(j, false, j->mask.data, e)))
        return false;
    j->s.shape = crease_matrix(slices, crease_size(&j->shape) / slices);
    j->s.mode = 0;
    j->use[1] = j->design;
    return true;
}

/* In the order of the data again; with unit columns in the other modes of a CP model. */
bool crs_apply_finish(crs_apply_job *j, crease_error *e)
{
    const ptrdiff_t n = crease_size(&j->shape), slices = j->shape.dim[j->mode];
    for (ptrdiff_t k = 0; j->cp && k < slices * j->s.rank; k++)
        j->out.coefficients[k] *= pow(fabs(j->weight.data[k % j->s.rank]), 1 - 1.0 / j->order);
    if (!j->cp &&
        (!unfold(j, true, j->data.data, e) || !unfold(j, true, j->out.lowrank, e) ||
         !unfold(j, true, j->out.sparse, e) || (j->mask.data && !unfold(j, true, j->mask.data, e))))
        return false;
    for (ptrdiff_t k = 0; k < n; k++) {
        const double t = j->mask.data && j->mask.data[k] == 0 ? (double)NAN : j->data.data[k];
        j->noise[k] = isnan(t) ? 0 : t - j->out.lowrank[k] - j->out.sparse[k];
    }
    return true;
}

static bool solve_all(crs_apply_job *j, crease_error *e)
{
    const ptrdiff_t n = crease_size(&j->shape), slices = j->shape.dim[j->mode];
    if (!crs_apply_terms(j, e)) return false;
    j->out.coefficients = crs_doubles(slices * j->s.rank, "the coefficients", e);
    j->out.lowrank = crs_doubles(n, "the low-rank part", e);
    j->out.sparse = crs_doubles(n, "the sparse part", e);
    j->noise = crs_doubles(n, "the noise", e);
    j->out.score = crs_alloc((size_t)slices, sizeof *j->out.score);
    if (!j->out.score) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the scores");
    return j->out.coefficients && j->out.lowrank && j->out.sparse && j->noise &&
           crease_cp_apply(&j->s, j->data.data, &j->out, e) && crs_apply_finish(j, e);
}

static bool solve(crs_apply_job *j, crease_error *e)
{
    crs_keep_time(j->a, 4, 8 * (double)crease_size(&j->shape));
    crease_watch_enter(j->a->watch, CREASE_PHASE_FIT);
    j->s.watch = j->a->watch;
    if (!(j->rows ? crs_apply_stream(j, e) : solve_all(j, e))) return false;
    j->ended = crease_watch_why(j->a->watch);
    crease_watch_enter(j->a->watch, CREASE_PHASE_CHECK);
    return j->rows || crs_apply_judge(j, j->eps, e);
}

static void put_scores(crs_spot to, const crs_apply_job *j)
{
    const crs_spot list = crs_put_list(to, "slices");
    for (ptrdiff_t i = 0; i < j->shape.dim[j->mode]; i++) {
        const crease_cp_slice_score *s = &j->out.score[i];
        const crs_spot line = crs_put_object(list, NULL);
        crs_put_number(line, "share", s->share);
        crs_put_number(line, "energy", s->energy);
        crs_put_number(line, "scale", s->scale);
        crs_put_number(line, "distance", s->distance);
        crs_put_number(line, "objective", s->objective);
        crs_put_number(line, "gradient", s->gradient);
        crs_put_whole(line, "observed", s->observed);
        crs_put_whole(line, "iterations", s->iterations);
    }
}

static void put_sources(crs_spot list, const crs_apply_job *j)
{
    const crs_data data = { .role = "data",
                            .path = j->path,
                            .shape = &j->given,
                            .hash = j->hash,
                            .asked = &j->asked,
                            .scale = j->data.scale };
    const crs_data model = { .role = "model", .path = j->from, .hash = j->model_hash };
    const crs_data mask = {
        .role = "mask", .path = j->masked, .shape = &j->given, .hash = j->mask_hash
    };
    crs_put_data(list, &j->folder, &data);
    crs_put_data(list, &j->folder, &model);
    if (j->masked) crs_put_data(list, &j->folder, &mask);
}

static void put_settings(crs_spot to, const crs_apply_job *j)
{
    crs_put_whole(to, "axis", j->mode);
    crs_put_whole(to, "rank", j->s.rank);
    crs_put_flag(to, "missing", j->s.missing);
}

/* Were all slices finished? */
static crease_outcome outcome_of(const crs_apply_job *j)
{
    const bool good = j->worst.verdict == CREASE_VERDICT_VALID;
    return good || j->ended == CREASE_NOT_RUN ? CREASE_STATIONARY : j->ended;
}

/* The residual is that of the worst slice, as the checker measures it, the objective their sum. */
static void put_result(const crs_apply_job *j, crs_document *d)
{
    const crease_outcome how = outcome_of(j);
    const char *text = "every slice was regressed on the terms of the model";
    crs_summary s = { .verb = "apply",
                      .model = j->model,
                      .outcome = how,
                      .outcome_text = how == CREASE_STATIONARY ? text : NULL,
                      .verdict = crease_verdict_text(j->worst.verdict),
                      .verdict_text = j->worst.text,
                      .exit_status = crs_exit_of_run(how, j->worst.verdict),
                      .method = "slices",
                      .residual = j->worst.smallest_eps,
                      .eps = slice_eps,
                      .relative = true,
                      .passes = -1,
                      .evaluations = -1,
                      .watch = j->a->watch };
    for (ptrdiff_t i = 0; i < j->shape.dim[j->mode]; i++) {
        s.objective += j->out.score[i].objective;
        s.iterations += j->out.score[i].iterations;
    }
    const crs_result out = crs_result_begin(d, &s);
    put_sources(out.data, j);
    crs_put_axes(out.top, "axes", &j->data.axes, j->given.order);
    put_settings(out.settings, j);
    put_scores(out.details, j);
}

static bool write_certificate(crs_apply_job *j, crease_error *e)
{
    crs_document d;
    const crs_spot top = crs_certificate_begin(&d, "apply", "apply", slice_eps, true);
    put_sources(crs_put_list(top, "data"), j);
    put_settings(crs_put_object(top, "settings"), j);
    return crs_folder_certify(&j->folder, &d, e);
}

static bool write_arrays(crs_apply_job *j, crease_error *e)
{
    const crease_space table = crease_matrix(j->shape.dim[j->mode], j->s.rank);
    const ptrdiff_t size = crease_size(&j->shape);
    crs_center_shift(&j->center, 1, 0, size, j->out.lowrank);
    crs_noise_times(&j->center, 1, 0, size, j->out.sparse);
    crs_noise_times(&j->center, 1, 0, size, j->noise);
    return crs_folder_array(&j->folder, "coefficients.npy", &table, j->out.coefficients, e) &&
           crs_folder_array(&j->folder, "lowrank.npy", &j->given, j->out.lowrank, e) &&
           crs_folder_array(&j->folder, "sparse.npy", &j->given, j->out.sparse, e) &&
           crs_folder_array(&j->folder, "noise.npy", &j->given, j->noise, e);
}

static bool deliver(crs_apply_job *j, crease_error *e)
{
    crs_document d;
    crease_watch_enter(j->a->watch, CREASE_PHASE_WRITE);
    put_result(j, &d);
    const bool done = (j->rows || write_arrays(j, e)) && write_certificate(j, e) &&
                      crs_folder_commit(&j->folder, &d, e);
    if (done && crs_given(j->a, CRS_OPT_JSON)) return crs_document_print(&d, false, e);
    crs_document_free(&d);
    return done;
}

static void print_score(const crs_apply_job *j, ptrdiff_t i)
{
    const crease_cp_slice_score *s = &j->out.score[i];
    crs_print("  %5td  %7.2f%% %9.3g %9.3g %9.3g\n", i + 1, 100 * s->share, s->energy, s->scale,
              s->distance);
}

/* All slices, or of many those with most outliers. */
static void print_scores(const crs_apply_job *j)
{
    enum { FEW = 20 };
    const ptrdiff_t all = j->shape.dim[j->mode];
    double limit = INFINITY;
    ptrdiff_t at = -1;
    if (all > FEW) crs_print("  of %td slices the %d with most outliers\n", all, FEW);
    crs_print("  slice  outliers    energy     scale  distance\n");
    for (ptrdiff_t i = 0; i < all && all <= FEW; i++) print_score(j, i);
    for (int k = 0; all > FEW && k < FEW; k++) { /* the next in the order of (share, index) */
        ptrdiff_t best = -1;
        for (ptrdiff_t i = 0; i < all; i++) {
            const double share = j->out.score[i].share;
            const bool later = share < limit || (share == limit && i > at);
            if (later && (best < 0 || share > j->out.score[best].share)) best = i;
        }
        if (best < 0) break;
        print_score(j, best);
        limit = j->out.score[best].share, at = best;
    }
}

static void print_summary(const crs_apply_job *j)
{
    const crease_verification *worst = &j->worst;
    const crs_trust trust = { .outcome = outcome_of(j),
                              .verdict = worst->verdict,
                              .why = worst->text,
                              .residual = worst->smallest_eps,
                              .eps = slice_eps,
                              .relative = true };
    crs_say_doubt(j->a, &trust);
    crs_print("%s  %td slice%s along axis %d, fitted by the terms of %s\n\n", j->path,
              j->shape.dim[j->mode], j->shape.dim[j->mode] == 1 ? "" : "s", j->mode, j->from);
    print_scores(j);
    crs_say_trust(j->a, &trust);
    crs_say_place(j->a, &j->folder);
}

/* Entries of slices that are read together, or one slice; ranks wait for one another. */
enum { AT_ONCE = 1 << 20, AT_ONCE_OF_RANKS = 1 << 17 };
/* Beside the slices themselves: terms, the judge's copy and its room, scores and their text. */
static double beside(const crs_apply_job *j, const crease_space *s)
{
    const double rank = (double)j->factor[j->mode].shape.dim[1], slices = (double)s->dim[j->mode];
    const double entries = (double)crease_size(s) / slices;
    return 8 * entries * (4 * rank + 16) + slices * (16 * rank + 2500) + CRS_RPCA_OVERHEAD;
}

static double bytes_of(const crs_apply_job *j, const crease_space *s)
{
    const double n = (double)crease_size(s);
    const bool turned = !j->cp && j->mode != 0;
    return 8 * n * (CRS_APPLY_ARRAYS + (j->masked ? 1 : 0) + (turned ? 1 : 0)) + beside(j, s);
}

static bool in_parts(const crs_apply_job *j)
{
    crs_array about;
    crs_place place;
    const crs_format *format;
    crease_error why;
    if (!crs_read_place(j->path, &j->asked, &place, &about, &format, &why)) return false;
    crs_array_free(&about);
    return place.access != CRS_PLACE_WHOLE && !place.reversed;
}

/* Why they must be in memory, and what to do; NULL: they need not. */
static const char *obstacle_of(const crs_apply_job *j, const char **instead)
{
    *instead = "let nan mark missing entries (--missing nan)";
    if (j->masked) return "with --mask";
    *instead = "store the data with that axis first (crease convert --order)";
    if (j->mode != 0) return "with another --axis than 0";
    *instead = "write them in row order first, by crease convert";
    return in_parts(j) ? NULL : "of a file that cannot be read in parts";
}

static bool fail_little(const crs_apply_job *j, const crease_space *s, const char *obstacle,
                        const char *instead, crease_error *e)
{
    const double one = 8.0 * CRS_APPLY_ARRAYS * (double)crease_size(s) / (double)s->dim[0];
    char need[32], have[32];
    crs_bytes_text(obstacle ? bytes_of(j, s) : beside(j, s) + one, need);
    crs_bytes_text(j->memory, have);
    if (!obstacle)
        return crs_fail(e, CREASE_NO_MEMORY,
                        "fitting these slices takes at least %s, slice by slice, and %s "
                        "%s; allow more",
                        need, crs_given(j->a, CRS_OPT_MEMORY) ? "--memory allows" : "there are",
                        have);
    return crs_fail(e, CREASE_NO_MEMORY,
                    "%s the data must be in memory, which takes %s where --memory allows %s; %s",
                    obstacle, need, have, instead);
}

/* Are there slices a few at a time, as they do not fit into memory or are shared by ranks? */
static bool plan(crs_apply_job *j, crease_error *e)
{
    const char *instead;
    const crs_team *t = j->a->team;
    const bool given = crs_given(j->a, CRS_OPT_MEMORY);
    crease_space s;
    if (!crs_option_bytes(j->a, CRS_OPT_MEMORY, 0.75 * crs_memory_free(), &j->memory, e))
        return false;
    if (!crs_read_shape(j->path, &j->asked, &s) || s.order != j->order)
        return true; /* reading it will say why */
    const char *obstacle = obstacle_of(j, &instead);
    const bool shared = t && t->size > 1 && s.dim[0] > 1 && !obstacle;
    if (shared && !given) j->memory /= t->size; /* ranks may be on one machine */
    const double whole = bytes_of(j, &s);
    if (whole <= j->memory && !shared) return true;
    if (obstacle && !given) return crs_memory_suffices("fitting these slices", whole, e);
    const double entries = (double)crease_size(&s) / (double)s.dim[0];
    const double room = (j->memory - beside(j, &s)) / (8 * CRS_APPLY_ARRAYS * entries);
    if (obstacle || !(room >= 1)) return fail_little(j, &s, obstacle, instead, e);
    const double most = shared ? AT_ONCE_OF_RANKS : AT_ONCE;
    const double slices = smaller(room, larger(1, floor(most / entries)));
    j->step = (ptrdiff_t)smaller(slices, (double)s.dim[0]);
    return true;
}

static void foretell(const crs_apply_job *j)
{
    const ptrdiff_t slices = j->shape.dim[j->mode];
    const double n = (double)crease_size(&j->shape);
    const crs_dry_work work = { n * (4 * (double)j->s.rank + 20), 5, 50, "passes over the data" };
    crs_print("%s  %td slice%s along axis %d, by the terms of %s\n\n", j->path, slices,
              slices == 1 ? "" : "s", j->mode, j->from);
    crs_line("model", "%s of rank %td", j->model, j->s.rank);
    crs_dry_memory(j->rows ? smaller(j->memory, bytes_of(j, &j->shape)) : bytes_of(j, &j->shape));
    crs_dry_time(j->a, &work);
    crs_dry_files(j->a, "coefficients.npy, lowrank.npy, sparse.npy, noise.npy");
}

static bool run_job(crs_apply_job *j, bool bound, crease_error *e)
{
    const crs_args *a = j->a;
    bool done = crs_folder_of(a, &j->folder, e) && crs_apply_model(j, e) && read_options(j, e) &&
                plan(j, e) && (j->step > 0 ? crs_apply_survey(j, e) : crs_apply_data(j, e));
    if (done && crs_dry(a)) return foretell(j), true;
    done = done && crs_checkpoint_bind(a, "the data", j->hash, e) &&
           crs_checkpoint_bind(a, "the model", j->model_hash, e) &&
           (!bound || crs_checkpoint_bind_threads(a, e)) && solve(j, e) && deliver(j, e);
    if (done && !crs_given(a, CRS_OPT_JSON)) print_summary(j);
    if (done) *a->status = crs_exit_of_run(outcome_of(j), j->worst.verdict);
    return done;
}

/* With one thread of BLAS no bit depends on threads, nor on ranks. */
static bool run(const crs_args *a, crease_error *e)
{
    crs_apply_job j = { .a = a,
                        .from = a->word[0],
                        .path = a->word[1],
                        .masked = crs_given(a, CRS_OPT_MASK),
                        .eps = slice_eps };
    const int before = crs_blas_threads(1);
    const bool done = run_job(&j, before == 0, e);
    if (before > 0) crs_blas_threads(before);
    crs_apply_discard(&j);
    return done;
}

const crs_verb crs_apply_verb = {
    .name = "apply",
    .words = "RESULT DATA",
    .word = CRS_KIND_FILE,
    .least = 2,
    .most = 2,
    .text = "Fit new slices with the factors of a result. For every slice of DATA along an axis "
            "(--axis, default 0) it finds the coefficients that minimize the robust error with the "
            "penalty, alpha and signs of a result of 'crease rpca'. DATA have the model's shape "
            "except along that axis, or one dimension less: a single slice. Slices along the first "
            "axis of .npy files and HDF5 need not fit into memory (--memory), and the ranks of "
            "crease-mpi share them. The folder receives "
            "coefficients.npy (in the units of that axis's factor times the weights), lowrank.npy, "
            "sparse.npy and result.json. "
            "The scores of a slice: the share of its entries that are outliers, their energy "
            "relative to the noise, the median error, and the robust distance of its coefficients "
            "from those of the slices the model was fitted to.",
    .example = "crease apply result new.npy --out seen",
    .binds_threads = true,
    .takes = CRS_LIST(CRS_TAKES(AXIS), CRS_TAKES(MISSING), CRS_TAKES(MASK), CRS_TAKES_READING,
                      CRS_TAKES(max_seconds), CRS_TAKES(MEMORY), CRS_TAKES_CHECKPOINT,
                      CRS_TAKES(OUT), CRS_TAKES(FORMAT), CRS_TAKES(REPORT), CRS_TAKES(FORCE),
                      CRS_TAKES_LOG, CRS_TAKES(DRY_RUN), CRS_TAKES(COLOR), CRS_TAKES(JSON)),
    .run = run,
};
