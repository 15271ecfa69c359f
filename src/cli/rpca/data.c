/* SPDX-License-Identifier: MIT
 * data: the arrays that robust PCA starts from: the data with their mask and merged axes, the
 * truth, the start, and the memory they will take */
#include "cli/rpca/rpca.h"
#include "core/parallel.h"

static bool same_shape(const char *what, const crs_array *x, const crease_space *s, crease_error *e)
{
    return crease_space_equal(&x->shape, s) ||
           crs_fail(e, CREASE_BAD_SHAPE, "%s does not have the shape of the data", what);
}

bool crs_rpca_truth(const crs_args *a, const crease_space *given, crs_array *out, crease_error *e)
{
    const char *folder = crs_given(a, CRS_OPT_TRUTH);
    return !folder ||
           (crs_read_in(folder, "lowrank.npy", out, e) && same_shape("--truth", out, given, e));
}

static bool is_there(const char *folder, const char *name)
{
    char path[CRS_PATH_ROOM];
    return crs_join(folder, name, path, sizeof path, NULL) && crs_is_there(path);
}

/* Those of merged axes are not in the files. */
static bool read_factors(crs_rpca_job *j, const char *folder, crease_error *e)
{
    for (int n = 0; n < j->given.order && !crs_given(j->a, CRS_OPT_MERGE); n++) {
        char name[32];
        crs_factor_file(n, name);
        crs_array *x = &j->true_factor[n];
        if (!is_there(folder, name)) continue;
        if (!crs_read_in(folder, name, x, e)) return false;
        const ptrdiff_t rank = x->shape.order == 2 ? x->shape.dim[1] : 0;
        if (j->true_rank == 0) j->true_rank = rank;
        if (rank == 0 || rank != j->true_rank || x->shape.dim[0] != j->given.dim[n])
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "--truth: %s must have %td rows and a column for each of the terms",
                            name, j->given.dim[n]);
    }
    return true;
}

static bool open_truth(crs_rpca_job *j, crease_error *e)
{
    const char *folder = crs_given(j->a, CRS_OPT_TRUTH);
    if (!folder) return true;
    if (j->s.kind == CREASE_RPCA_CP && !read_factors(j, folder, e)) return false;
    if (j->true_rank > 0 && !is_there(folder, "lowrank.npy")) return true;
    if (!crs_join(folder, "lowrank.npy", j->truth_path, sizeof j->truth_path, e) ||
        !crs_npy_stream_open(j->truth_path, &j->truth, e))
        return false;
    return crease_space_equal(&j->truth.header.shape, &j->given) ||
           crs_fail(e, CREASE_BAD_SHAPE, "--truth does not have the shape of the data");
}

/* "gevd", or "gevd-clipped" for a start from clipped data */
bool crs_rpca_init(const char *text, crease_rpca_settings *s)
{
    static const char *const name[] = {
#define X(id, name, meaning) #name,
        CREASE_CP_STARTS(X)
#undef X
    };
    for (int k = 0; k < (int)(sizeof name / sizeof *name); k++) {
        const size_t length = strlen(name[k]);
        const bool cuts = k != CREASE_START_AUTO && k != CREASE_START_RANDOM;
        if (strncmp(text, name[k], length) != 0) continue;
        const bool clipped = cuts && strcmp(text + length, "-clipped") == 0;
        if (text[length] && !clipped) continue;
        if (s) s->start = (crease_cp_start)k, s->clip = clipped ? 2 : 0;
        return true;
    }
    return false;
}

/* Neighbouring axes become one: the entries stay where they are. */
bool crs_rpca_merge(const char *text, crease_space *s, crease_error *e)
{
    int first, count;
    if (!text) return true;
    if (!crs_parse_merge(text, s, &first, &count, e)) return false;
    crs_merge_shape(s, first, count);
    return true;
}

static bool parts_of(const crs_args *a, double entries, unsigned *parts, crease_error *e)
{
    static const char *const word[] = { "lowrank", "sparse", "noise", "z", "factors", "all" };
    static const unsigned means[] = { CRS_WRITE_LOWRANK, 0, CRS_WRITE_NOISE, CRS_WRITE_Z, 0, ~0u };
    const char *text = crs_given(a, CRS_OPT_WRITE);
    *parts = CRS_WRITE_SPARSE | (text || entries > CRS_WRITE_ALL ? 0 : ~0u);
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t n = strcspn(at, ",");
        int k = 0;
        while (k < 6 && (strncmp(at, word[k], n) != 0 || word[k][n])) k++;
        if (k == 6)
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "--write %.64s: '%.*s' is no part; write factors, sparse, lowrank, "
                            "noise, z or all, with commas between them",
                            text, n < 40 ? (int)n : 40, at);
        *parts |= means[k];
    }
    return true;
}

/* Of the shape that is given now. */
static bool outputs_of(crs_rpca_job *j, crease_error *e)
{
    return crs_foreground_suits(j->a, &j->given, e) &&
           parts_of(j->a, (double)crease_size(&j->given), &j->write, e);
}

static double forecast(const crs_rpca_job *j, bool missing, bool dense)
{
    crease_rpca_settings s = j->s;
    s.penalty = j->penalty.reg;
    if (crs_is_listed(j->source))
        return crs_rpca_bytes_listed(&s, j->source->listed) + CRS_RPCA_OVERHEAD;
    if (s.kind != CREASE_RPCA_CP)
        return crs_rpca_bytes_beside(&s, &j->run) +
               (missing ? 9.0 : 8.0) * (double)crease_size(&s.shape) + CRS_RPCA_OVERHEAD;
    return crease_rpca_bytes(&s, &j->run, missing, dense) + CRS_RPCA_OVERHEAD;
}

void crs_rpca_forecast(crs_rpca_job *j)
{
    const crease_rpca_facts *f = crease_rpca_about(j->fit);
    if (j->s.kind == CREASE_RPCA_CP && j->s.rank == 0)
        j->s.rank = f->ranks ? f->ranks->rank : crease_rpca_used(j->fit)->rank;
    if (j->s.kind != CREASE_RPCA_CP) j->s.ranks = crease_rpca_used(j->fit)->ranks;
    j->bytes = forecast(j, f->missing > 0, false);
    j->most_bytes = forecast(j, f->missing > 0, true);
}

/* factor_n.npy of a folder; with weights.npy beside them the columns are unit ones. */
static bool read_start(crs_rpca_job *j, crease_error *e)
{
    const char *folder = crs_given(j->a, CRS_OPT_INIT);
    const int d = j->s.shape.order;
    if (!folder || crs_rpca_init(folder, NULL)) return true;
    if (!crs_is_there(folder))
        return crs_fail(
            e, CREASE_NO_INPUT,
            "--init %.200s: neither a folder with factor_1.npy nor a start; write auto, "
            "random, hosvd, als, gevd, or one of the last three with -clipped",
            folder);
    if (!crs_read_if_there(folder, "weights.npy", &j->factor_weight, e)) return false;
    const bool weighed = j->factor_weight.data;
    for (int n = 0; n < d; n++) {
        char name[32];
        crs_factor_file(n, name);
        crs_array *x = &j->factor[n];
        if (!crs_read_in(folder, name, x, e)) return false;
        if (j->s.rank == 0) j->s.rank = x->shape.dim[x->shape.order - 1];
        const crease_space wanted = crease_matrix(j->s.shape.dim[n], j->s.rank);
        if (!crease_space_equal(&x->shape, &wanted))
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "--init: factor %d must be %td x %td to suit the data and the rank",
                            n + 1, wanted.dim[0], wanted.dim[1]);
        const bool unit = weighed && crease_size(&j->factor_weight.shape) == j->s.rank;
        for (ptrdiff_t k = 0; unit && k < crease_size(&wanted); k++)
            x->data[k] *= pow(fabs(j->factor_weight.data[k % j->s.rank]), 1.0 / d);
        j->start[n] = x->data;
    }
    j->s.factor = j->start;
    return true;
}

/* The option that needs the tensor in one piece; NULL: none does. What the library alone can tell,
 * it refuses. */
static const char *needs_all(const crs_args *a)
{
    static const struct {
        crs_option_id id;
        const char *name;
    } list[] = { { CRS_OPT_FOREGROUND, "--foreground" }, { CRS_OPT_MASK, "--mask" },
                 { CRS_OPT_MERGE, "--merge" },           { CRS_OPT_TRUTH, "--truth" },
                 { CRS_OPT_CENTER, "--center" },         { CRS_OPT_GROUPS, "--groups" },
                 { CRS_OPT_WEIGHTS, "--weights" } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (crs_given(a, list[k].id)) return list[k].name;
    const char *noise = crs_given(a, CRS_OPT_NOISE_LEVELS);
    if (noise && strcmp(noise, "global") != 0) return "--noise";
    const char *method = crs_given(a, CRS_OPT_METHOD);
    return !method || strcmp(method, "auto") == 0 || strcmp(method, "envelope") == 0 ? NULL
                                                                                     : "--method";
}

static const char *instead_of(const char *option, crease_rpca_kind kind)
{
    return strcmp(option, "--mask") == 0     ? "let nan mark missing entries (--missing nan)"
           : strcmp(option, "--merge") == 0  ? "store the data in that shape"
           : strcmp(option, "--noise") == 0  ? "use --noise global, or allow more memory"
           : strcmp(option, "--method") != 0 ? "leave it out, or allow more memory"
           : kind == CREASE_RPCA_CP          ? "use --method envelope"
                                             : "use --method auto";
}

/* What of a model cannot be fitted slab by slab; "": everything can. */
static void obstacle_of(const crs_args *a, crease_rpca_kind kind, char *what, size_t size,
                        const char **instead)
{
    const char *rank = crs_given(a, CRS_OPT_RANK), *option = needs_all(a);
    const bool given = rank && strncmp(rank, "auto", 4) != 0;
    *instead = option ? instead_of(option, kind) : "give them by --rank";
    what[0] = '\0';
    if (kind == CREASE_RPCA_PCP) {
        snprintf(what, size, "with --model pcp");
        *instead = "use --model matrix --ridge NU, whose ridge is NU times the nuclear norm";
    } else if (kind == CREASE_RPCA_BALL) {
        snprintf(what, size, "with --eta");
        *instead = "leave it out, or allow more memory";
    } else if (option) {
        snprintf(what, size, "with %s", option);
    } else if (kind == CREASE_RPCA_TUCKER && !given) {
        snprintf(what, size, "without ranks, which are chosen from all of the data,");
    }
}

/* The shape of the model from that of the file, and the ranks for it. */
static bool take_ranks(crs_rpca_job *j, crease_error *e)
{
    return j->s.kind == CREASE_RPCA_CP ||
           (crs_rpca_merge(crs_given(j->a, CRS_OPT_MERGE), &j->s.shape, e) &&
            crs_tucker_ranks(j->a, &j->s, e));
}

/* What many files claim is known before their items are read: do they fit into the memory that may
 * be used, are they streamed, or neither? Without --memory all that is free may be used by what
 * cannot be streamed. */
static bool foresee(crs_rpca_job *j, crease_error *e)
{
    char what[80], need[32], have[32];
    const char *instead;
    const bool given = crs_given(j->a, CRS_OPT_MEMORY);
    if (!crs_option_bytes(j->a, CRS_OPT_MEMORY, 0.75 * crs_memory_free(), &j->memory, e))
        return false;
    if (!given && j->a->team) j->memory /= j->a->team->size; /* ranks may be on one machine */
    if (!crs_read_shape(j->a->word[0], &j->asked, &j->s.shape) || j->s.shape.order < 2)
        return true; /* reading it will say why */
    if (!take_ranks(j, e)) return false;
    obstacle_of(j->a, j->s.kind, what, sizeof what, &instead);
    const double whole = forecast(j, false, false);
    const bool cut = j->s.kind != CREASE_RPCA_CP && !crs_rpca_fit_runs(&j->s, &j->run);
    const bool shared =
        j->a->team && j->a->team->size > 1 && !what[0] && crs_partition_of(&j->s.shape).count > 1;
    if ((whole <= j->memory && !shared && !cut) || whole == INFINITY)
        return true; /* building says why */
    j->streams = !what[0];
    if (j->streams) return true;
    if (!given) return crs_memory_suffices("robust PCA of this tensor", whole, e);
    crs_bytes_text(whole, need);
    crs_bytes_text(j->memory, have);
    return crs_fail(e, CREASE_NO_MEMORY,
                    "%s the data must be in memory, which takes %s where --memory allows %s; %s",
                    what, need, have, instead);
}

/* Beside the run of a problem in memory the checker keeps its blocks, their images and a reference
 * in exact sums, in tensors. */
double crs_tucker_bytes(const crs_tucker_job *j, const crease_rpca_settings *s)
{
    enum { CHECK = 40 };
    return crease_rpca_bytes(s, &j->run, s->missing, true) +
           8 * CHECK * (double)crease_size(&s->shape) + CRS_RPCA_OVERHEAD;
}

bool crs_tucker_plan(const crs_tucker_job *j, bool *fits, crease_error *e)
{
    const crs_args *a = j->a;
    crease_rpca_settings s = j->s;
    crs_asked asked;
    char what[80], need[32], have[32];
    const char *instead;
    double memory;
    *fits = false;
    if (!crs_asked_of(a, &asked, e) || !crs_option_bytes(a, CRS_OPT_MEMORY, INFINITY, &memory, e))
        return false;
    const bool known = crs_read_shape(a->word[0], &asked, &s.shape) && s.shape.order >= 2;
    *fits = crs_rpca_fit_runs(&s, &j->run);
    if (*fits || !known) return true; /* reading it will say why */
    if (!crs_tucker_ranks(a, &s, e)) return false;
    obstacle_of(a, s.kind, what, sizeof what, &instead);
    const double whole = crs_tucker_bytes(j, &s);
    const bool parts = crs_given(a, CRS_OPT_WRITE), small = whole > memory;
    *fits = (small || parts) && !what[0];
    if (*fits || !(small || parts)) return true;
    crs_bytes_text(whole, need);
    crs_bytes_text(memory, have);
    return small
               ? crs_fail(e, CREASE_NO_MEMORY,
                          "%s the data must be in memory, which takes %s where --memory allows "
                          "%s; %s",
                          what, need, have, instead)
               : crs_fail(e, CREASE_UNSUPPORTED,
                          "%s the folder holds a problem, with all parts; leave out --write", what);
}

/* Bytes beside the slabs: as in memory, but for the tensor. */
static double beside_slabs(const crs_rpca_job *j)
{
    return forecast(j, false, false) - 8 * (double)crease_size(&j->s.shape);
}

static bool too_little(const crs_rpca_job *j, double least, crease_error *e)
{
    char need[32], have[32];
    crs_bytes_text(least, need);
    crs_bytes_text(j->memory, have);
    if (crs_given(j->a, CRS_OPT_MEMORY))
        return crs_fail(e, CREASE_NO_MEMORY,
                        "robust PCA of this tensor takes at least %s, slab by slab, and --memory "
                        "allows %s; allow more",
                        need, have);
    return crs_fail(e, CREASE_NO_MEMORY,
                    "robust PCA of this tensor needs %s of memory and %s are free for it; use a "
                    "smaller rank, smaller data or a larger machine",
                    need, have);
}

/* Is it a file of coordinates, and what it does not list missing? */
static bool of_coordinates(const char *path, const crs_asked *asked)
{
    const char *absent = asked->absent ? asked->absent : "";
    const crs_format *format = NULL;
    crs_listing inside;
    if (strcmp(path, "-") == 0 || !crs_read_listing(path, asked, &inside, &format, NULL))
        return false;
    crs_listing_free(&inside);
    return (format == &crs_mtx_format && strcmp(absent, "missing") == 0) ||
           (format == &crs_tns_format && strcmp(absent, "zero") != 0);
}

/* Models whose core needs all entries, of a file that lists a few: these are made first. */
static bool made_whole(const crs_rpca_job *j, double bytes, crease_error *e)
{
    const double all = 9 * (double)crease_size(&j->s.shape);
    char need[32], have[32];
    if (j->s.kind == CREASE_RPCA_CP || all <= bytes || !of_coordinates(j->a->word[0], &j->asked))
        return true;
    crs_bytes_text(all, need);
    crs_bytes_text(bytes, have);
    return crs_fail(e, CREASE_NO_MEMORY,
                    "this model makes all entries of %.150s, which takes %s, and %s may be used; "
                    "fit those that were observed alone by --model cp, or of a matrix by --model "
                    "matrix --ridge NU",
                    j->a->word[0], need, have);
}

static bool open_stream(crs_rpca_job *j, crease_error *e)
{
    const crs_args *a = j->a;
    const double least = crs_stream_floor(&j->s.shape, j->s.missing), own = beside_slabs(j);
    const crs_stream_settings s = { .asked = &j->asked,
                                    .bytes = j->memory - own,
                                    .missing = j->s.missing,
                                    .parts = a->team ? a->team->size : 0,
                                    .about = &j->data };
    if (least > s.bytes) return too_little(j, least + own, e);
    if (!made_whole(j, s.bytes, e)) return false;
    j->given = j->s.shape;
    if (!outputs_of(j, e)) return false;
    if (crs_dry(a)) return true;
    j->source = crs_stream_open(a->word[0], &s, e);
    if (!j->source) return false;
    j->given = j->s.shape = j->source->cut.shape;
    if (j->s.kind != CREASE_RPCA_CP && !crs_tucker_ranks(a, &j->s, e)) return false;
    j->s.missing = false; /* slabs bring their masks */
    return (!a->team || crs_rpca_share(a->team, a->word[0], &s, j->source, e)) &&
           crs_name_data(a, a->word[0], &j->data, e) &&
           crs_source_hash(j->source, crs_useful_threads(j->s.threads, crease_size(&j->given)),
                           a->watch, j->hash, e) &&
           read_start(j, e);
}

bool crs_rpca_take(crs_array *data, const char *mask, const char *axes, crease_rpca_settings *s,
                   char hash[CRS_HASH], crease_error *e)
{
    crs_array w = { .data = NULL };
    bool done = !mask || (crs_read_mask(mask, &w, e) && same_shape("--mask", &w, &data->shape, e));
    s->shape = data->shape;
    s->mask = w.data;
    if (s->kind == CREASE_RPCA_CP || s->kind == CREASE_RPCA_TUCKER)
        s->missing = s->missing || data->gaps;
    done =
        done && crs_data_finite(data, s->missing, w.data, e) && crs_rpca_merge(axes, &s->shape, e);
    if (done && s->shape.order < 2)
        done =
            crs_fail(e, CREASE_BAD_SHAPE, "the data have 1 dimension; give a matrix or a tensor");
    done = done && ((!mask && !s->missing) || crs_array_own(data, e)) &&
           crease_rpca_mask(&s->shape, s->mask, s->missing, data->data, e);
    crs_array_free(&w);
    s->mask = NULL;
    s->missing = s->missing || mask;
    if (done) crs_array_hash(data, hash);
    return done;
}

/* Does nothing that was asked for need all entries? The first point is a folder's or the list's
 * own, and the folder gets the factors and the entries of the sparse part. */
static bool takes_list(const crs_rpca_job *j)
{
    const char *rank = crs_given(j->a, CRS_OPT_RANK), *init = crs_given(j->a, CRS_OPT_INIT);
    const char *write = crs_given(j->a, CRS_OPT_WRITE);
    const bool folder = init && !crs_rpca_init(init, NULL);
    const bool start = !init || folder || strcmp(init, "auto") == 0 || strcmp(init, "random") == 0;
    const bool few = !write || (!strstr(write, "lowrank") && !strstr(write, "noise") &&
                                !strstr(write, "all") && !strchr(write, 'z'));
    return j->s.kind == CREASE_RPCA_CP && (folder || (rank && strncmp(rank, "auto", 4) != 0)) &&
           start && few && !needs_all(j->a) && !crs_given(j->a, CRS_OPT_REPORT) && !j->s.single &&
           j->run.mode == CREASE_MODE_PRACTICAL && !(j->a->team && j->a->team->size > 1) &&
           (!j->penalty.reg.ops || crs_is_plain(&j->penalty.reg));
}

static bool take_list(crs_rpca_job *j, crease_error *e)
{
    const bool given = crs_given(j->a, CRS_OPT_MEMORY);
    double memory;
    char need[32], have[32];
    j->given = j->s.shape = j->data.shape;
    j->write = CRS_WRITE_SPARSE;
    j->s.missing = false; /* the list says what was observed */
    crs_array_hash(&j->data, j->hash);
    j->source = crs_listed_open(j->data.list, e);
    if (!j->source || !crs_option_bytes(j->a, CRS_OPT_MEMORY, crs_memory_free(), &memory, e) ||
        !read_start(j, e))
        return false;
    const double bytes = forecast(j, true, false);
    crs_bytes_text(bytes, need);
    crs_bytes_text(memory, have);
    return bytes <= memory ||
           crs_fail(e, CREASE_NO_MEMORY,
                    "robust PCA of these observed entries needs %s of memory and %s %s; use a "
                    "smaller rank, or %s",
                    need, given ? "--memory allows" : "free are", have,
                    given ? "allow more" : "a larger machine");
}

bool crs_rpca_read(crs_rpca_job *j, crease_error *e)
{
    const crs_args *a = j->a;
    if (!crs_asked_of(a, &j->asked, e)) return false;
    if (takes_list(j) && of_coordinates(a->word[0], &j->asked)) {
        j->asked.listed = true;
        if (!crs_read_data(a, a->word[0], &j->asked, &j->data, e)) return false;
        if (j->data.list) return take_list(j, e);
        crs_array_free(&j->data);
        j->asked.listed = false;
    }
    if (!foresee(j, e)) return false;
    if (crs_dry_head(a, a->word[0], &j->asked, &j->given)) {
        j->s.shape = j->given;
        return outputs_of(j, e) && take_ranks(j, e);
    }
    if (j->streams) return open_stream(j, e);
    if (!crs_read_data(a, a->word[0], &j->asked, &j->data, e)) return false;
    j->given = j->data.shape;
    return outputs_of(j, e) &&
           crs_rpca_take(&j->data, crs_given(a, CRS_OPT_MASK), crs_given(a, CRS_OPT_MERGE), &j->s,
                         j->hash, e) &&
           (j->s.kind == CREASE_RPCA_CP || crs_tucker_ranks(a, &j->s, e)) && open_truth(j, e) &&
           read_start(j, e);
}

/* Sums over slabs have no order, and those of BLAS on one thread have one: the envelope has the
 * same bits for any number of threads where there is more than one slab. */
bool crs_rpca_bind(const crs_rpca_job *j, crease_error *e)
{
    const crease_cp_start start = j->s.start;
    const bool slabs = crs_partition_of(&j->s.shape).count > 1 && !needs_all(j->a) &&
                       j->run.mode == CREASE_MODE_PRACTICAL && start != CREASE_START_HOSVD &&
                       start != CREASE_START_ALS &&
                       (j->s.kind == CREASE_RPCA_CP || j->s.ranks.order > 0);
    const bool plain = !j->penalty.reg.ops || crs_is_plain(&j->penalty.reg);
    const bool any = slabs && plain && crs_blas_alone();
    return crs_checkpoint_bind(j->a, "the data", j->hash, e) &&
           (any || crs_checkpoint_bind_threads(j->a, e));
}

void crs_rpca_put_axes(const crs_args *a, const crs_result *r, const crs_array *data,
                       const crease_space *given)
{
    const char *merged = crs_given(a, CRS_OPT_MERGE);
    crs_axes own = { .axis = { { .name = NULL } } };
    int first, count;
    crs_put_axes(r->top, "axes", &data->axes, given->order);
    crs_put_null(r->details, "model_axes");
    if (!merged || !crs_parse_merge(merged, given, &first, &count, NULL)) return;
    if (crs_axes_copy(&data->axes, given->order, &own, NULL) &&
        crs_axes_merge(&own, given, first, count, NULL))
        crs_put_axes(r->details, "model_axes", &own, given->order - count + 1);
    else
        r->top.document->failed = true; /* for want of memory */
    crs_axes_free(&own);
}
