/* SPDX-License-Identifier: MIT
 * generate: random instances with their truth, as files */
#include "cli/rpca/rpca.h"
#include "io/stream/stream.h"

static bool is_eem(const crs_args *a) { return strcmp(a->word[0], "eem") == 0; }

static bool is_matrix(const crs_args *a) { return strcmp(a->word[0], "matrix") == 0; }

static bool is_tucker(const crs_args *a)
{
    return is_matrix(a) || strcmp(a->word[0], "tucker") == 0;
}

/* What all kinds of instances take. */
static bool read_spoils(const crs_args *a, crease_cp_recipe *r, crease_error *e)
{
    const crs_option_id id[] = { CRS_OPT_OUTLIERS, CRS_OPT_MAGNITUDE, CRS_OPT_NOISE };
    double *const to[] = { &r->outliers, &r->magnitude, &r->noise };
    for (int k = 0; k < 3; k++)
        if (crs_given(a, id[k]) && !crs_option_number(a, id[k], 0, to[k], e)) return false;
    return crease_cp_recipe_check(r, e);
}

/* The recipe of a kind with defaults, or of one that needs its shape and rank. */
static bool start_recipe(const crs_args *a, crease_cp_recipe *r, crease_error *e)
{
    const char *text = crs_given(a, CRS_OPT_SHAPE);
    const bool eem = is_eem(a);
    crease_space shape = crease_vector(1);
    double rank;
    if (!eem && strcmp(a->word[0], "cp") != 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "unknown kind of instance '%.64s'; write cp, tucker, matrix or eem",
                        a->word[0]);
    if (!text && !eem)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the shape is missing; add --shape 30,50,70");
    if (text && (!crs_parse_shape(text, &shape, e) || !crease_space_check(&shape, e))) return false;
    if (text && shape.order < 2)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--shape %.64s has one dimension; give at least two", text);
    if (!crs_given(a, CRS_OPT_RANK) && !eem)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the rank is missing; add --rank R");
    *r = eem ? crease_eem_recipe_default() : crease_cp_recipe_default(&shape, 1);
    if (text) r->shape = shape;
    if (!crs_option_integer(a, CRS_OPT_RANK, 1, 1 << 24, (double)r->rank, &rank, e)) return false;
    r->rank = (ptrdiff_t)rank;
    return true;
}

static bool read_recipe(const crs_args *a, crease_cp_recipe *r, crease_error *e)
{
    double seed;
    if (!start_recipe(a, r, e) || !crs_option_integer(a, CRS_OPT_seed, 0, 0x1p53, 0, &seed, e))
        return false;
    r->seed = (uint64_t)seed;
    return read_spoils(a, r, e);
}

/* The four tensors, the places of the outliers, and the factors twice (the kernels' copies); of a
 * large one the factors. */
static double forecast(const crease_cp_recipe *r, bool large)
{
    const double n = large ? 0 : (double)crease_size(&r->shape);
    double factors = 0;
    for (int k = 0; k < r->shape.order; k++)
        factors += 2 * (double)r->shape.dim[k] * (double)r->rank;
    return 8 * ((4 + r->outliers) * n + factors) + 0x1p24;
}

/* samples x emission x excitation */
static bool name_axes(const crease_space *s, crs_axes *out, crease_error *e)
{
    static const char *const name[] = { "sample", "emission", "excitation" };
    bool done = true;
    *out = (crs_axes){ .axis = { { .name = NULL } } };
    for (int n = 0; done && n < 3; n++) {
        double *at = n ? crs_doubles(s->dim[n], "the wavelengths", e) : NULL;
        done = (n == 0 || at) && crs_axis_name(&out->axis[n], name[n], n ? "nm" : NULL, e);
        for (ptrdiff_t i = 0; at && i < s->dim[n]; i++) at[i] = crease_eem_wavelength(s, n, i);
        done = done && (n == 0 || crs_axis_at(&out->axis[n], s->dim[n], at, e));
        crs_free(at);
    }
    if (!done) crs_axes_free(out);
    return done;
}

/* In result.json, and as a sidecar that goes with tensor.npy. */
static bool write_axes(crs_folder *f, const crs_result *r, const crease_space *s, crease_error *e)
{
    crs_axes axes;
    crs_document d;
    if (!name_axes(s, &axes, e)) return false;
    crs_put_axes(r->top, "axes", &axes, s->order);
    crs_put_axes(crs_document_begin(&d, NULL), "axes", &axes, s->order);
    const bool done = crs_folder_document(f, "tensor.axes.json", &d, e);
    crs_document_free(&d);
    crs_axes_free(&axes);
    return done;
}

static void put_wavelengths(crs_spot to, const char *key, const crease_space *s, int axis)
{
    const crs_spot list = crs_put_list(to, key);
    for (ptrdiff_t i = 0; i < s->dim[axis]; i++)
        crs_put_number(list, NULL, crease_eem_wavelength(s, axis, i));
}

/* Nothing was run, so there is nothing to certify. */
static crs_result begin_document(const crs_args *a, const crease_cp_recipe *r, crs_document *d)
{
    const crs_summary s = { .verb = "generate",
                            .model = a->word[0],
                            .objective = NAN,
                            .residual = NAN,
                            .eps = NAN,
                            .iterations = -1,
                            .passes = -1,
                            .evaluations = -1 }; /* no seconds: the same seed, the same files */
    const crs_result out = crs_result_begin(d, &s);
    crs_put_shape(out.settings, "shape", &r->shape);
    crs_put_number(out.settings, "outlier_fraction", r->outliers);
    crs_put_number(out.settings, "magnitude", r->magnitude);
    crs_put_number(out.settings, "noise", r->noise);
    crs_put_whole(out.settings, "seed", (long long)r->seed);
    return out;
}

/* Is it drawn entry by entry as it is written? cp of more than one slab is. */
static bool is_large(const crs_args *a, const crease_cp_recipe *r)
{
    return strcmp(a->word[0], "cp") == 0 && crs_partition_of(&r->shape).count > 1;
}

enum { PIECE = 1 << 20 }; /* entries that are drawn at a time */

static void draw_items(const void *self, ptrdiff_t first, ptrdiff_t count, double *out)
{
    (void)first; /* they come in their order */
    crs_cp_draw(*(crs_cp_drawing *const *)self, count, out);
}

enum { PARTS = 4 };
static const char *const part_name[] = { "tensor.npy", "lowrank.npy", "sparse.npy", "noise.npy" };

static crs_cp_drawing drawing_of(const crease_cp_instance *c, int k)
{
    return (crs_cp_drawing){ c, k <= 1, k % 2 == 0, k == 0 || k == 3, 0, 0 };
}

/* ---- over ranks: each draws entries of its own, and writes them at their places ---- */

typedef struct {
    crease_cp_recipe recipe;
    const char *path[PARTS];
    long long offset[PARTS];
} told;

static void visit_told(crs_visitor *v, void *self)
{
    told *d = self;
    crs_visit(v, d->recipe.shape);
    crs_visit(v, d->recipe.rank);
    crs_visit(v, d->recipe.outliers);
    crs_visit(v, d->recipe.magnitude);
    crs_visit(v, d->recipe.noise);
    crs_visit(v, d->recipe.seed);
    for (int k = 0; k < PARTS; k++) crs_visit_text(v, part_name[k], &d->path[k]);
    crs_visit(v, d->offset);
}

static bool put_part(const told *d, int k, crs_cp_drawing part, ptrdiff_t end, double *buffer,
                     crease_error *e)
{
    crs_laid to = { d->path[k], d->offset[k], NULL, -1 };
    bool done = crs_laid_open(&to, e);
    while (done && part.next < end) {
        const ptrdiff_t first = part.next, now = fewer(PIECE, end - first);
        crs_cp_draw(&part, now, buffer);
        done = crs_laid_put(&to, first, now, buffer, e);
    }
    crs_laid_close(&to);
    return done;
}

/* Entries first .. end - 1 of all parts. */
static bool put_entries(const told *d, const crease_cp_instance *c, ptrdiff_t first, ptrdiff_t end,
                        crease_error *e)
{
    double *buffer = crs_doubles(PIECE, "entries of an instance", e);
    crs_cp_drawing from = drawing_of(c, 0);
    bool done = buffer;
    if (done) crs_cp_draw_from(&from, first);
    for (int k = 0; done && k < PARTS; k++) {
        crs_cp_drawing part = drawing_of(c, k);
        part.next = from.next, part.taken = from.taken;
        done = put_part(d, k, part, end, buffer, e);
    }
    crs_free(buffer);
    return done && (!crease_watch_over(c->recipe.watch) || crs_cut(e, "the instance"));
}

/* Its share of slabs */
static bool put_share(const told *d, const crease_cp_instance *c, const crs_team *t,
                      crease_error *e)
{
    const crs_partition cut = crs_partition_of(&d->recipe.shape);
    const ptrdiff_t low = cut.count * t->rank / t->size;
    const ptrdiff_t high = cut.count * (t->rank + 1) / t->size;
    const crs_slab last = crs_slab_at(&cut, high - 1);
    return low == high || put_entries(d, c, crs_slab_at(&cut, low).first,
                                      last.first + crease_size(&last.shape), e);
}

void crs_generate_assist(const crs_team *t, const void *bytes, size_t count)
{
    told d = { .path = { NULL } };
    crease_error e = { CREASE_OK, "" };
    const bool read = crs_unpack(visit_told, &d, bytes, count) ||
                      crs_fail(&e, CREASE_UNSUPPORTED,
                               "it is of another version of crease; use one for all ranks");
    crease_cp_instance *c = read ? crs_cp_instance_bare(&d.recipe, &e) : NULL;
    crs_rpca_agree(t, c && put_share(&d, c, t, &e), &e);
    crease_cp_instance_free(c);
}

/* Where another rank cannot, as without a disk in common, all is written here. */
static bool put_together(const told *d, const crease_cp_instance *c, const crs_team *t,
                         crease_error *e)
{
    size_t count;
    char *bytes = crs_pack(visit_told, (void *)(uintptr_t)d, &count);
    if (!bytes) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: what ranks are told");
    bool done = crs_team_call(t, "generate", bytes, count, e), own = done;
    crs_free(bytes);
    if (done) own = put_share(d, c, t, e);
    if (done && crs_rpca_agree(t, own, e)) return true;
    return own && put_entries(d, c, 0, crease_size(&d->recipe.shape), e);
}

static bool draw_over_ranks(crs_folder *f, const crease_cp_instance *c, const crs_team *t,
                            crease_error *e)
{
    told d = { .recipe = c->recipe };
    bool done = true;
    d.recipe.watch = NULL;
    for (int k = 0; done && k < PARTS; k++) {
        crs_laid at;
        done = crs_folder_lay(f, part_name[k], &c->recipe.shape, e) &&
               crs_folder_laid(f, part_name[k], &at, e);
        if (done) d.path[k] = at.path, d.offset[k] = at.offset;
    }
    done = done && put_together(&d, c, t, e);
    for (int k = 0; done && k < PARTS; k++) done = crs_folder_filled(f, part_name[k], e);
    return done;
}

static bool draw_parts(crs_folder *f, const crease_cp_instance *c, crease_error *e)
{
    double *buffer = crs_doubles(PIECE, "entries of an instance", e);
    bool done = buffer;
    for (int k = 0; done && k < PARTS; k++) {
        crs_cp_drawing part = drawing_of(c, k), *self = &part;
        const crs_pieces pieces = { draw_items, &self, buffer, PIECE };
        done = crs_folder_pieces(f, part_name[k], &c->recipe.shape, &pieces, e) &&
               (!crease_watch_over(c->recipe.watch) || crs_cut(e, "the instance"));
        crs_watch_part(c->recipe.watch, k + 1, PARTS);
    }
    crs_free(buffer);
    return done;
}

static bool write_parts(const crs_args *a, crs_folder *f, const crease_cp_instance *c,
                        crease_error *e)
{
    const crease_space *s = &c->recipe.shape;
    const bool shared = a->team && a->team->size > 1 && f->path && !crs_is_memory(f->path);
    if (!c->tensor) return shared ? draw_over_ranks(f, c, a->team, e) : draw_parts(f, c, e);
    return crs_folder_array(f, "tensor.npy", s, c->tensor, e) &&
           crs_folder_array(f, "lowrank.npy", s, c->lowrank, e) &&
           crs_folder_array(f, "sparse.npy", s, c->sparse, e) &&
           crs_folder_array(f, "noise.npy", s, c->noise, e);
}

static bool write_factor(crs_folder *f, int n, ptrdiff_t rows, ptrdiff_t columns, const double *x,
                         crease_error *e)
{
    const crease_space s = crease_matrix(rows, columns);
    char name[32];
    crs_factor_file(n, name);
    return crs_folder_array(f, name, &s, x, e);
}

/* The folder gets its name; the document, or one line, goes to standard output. */
static bool deliver(const crs_args *a, crs_folder *f, crs_document *d, const char *rank,
                    const crease_cp_instance *c, crease_error *e)
{
    bool done = crs_folder_commit(f, d, e);
    if (done && crs_given(a, CRS_OPT_JSON)) return crs_document_print(d, false, e);
    char shape[200];
    crs_named_shape(&c->recipe.shape, NULL, shape, sizeof shape);
    if (done)
        crs_print("%s/tensor.npy  %s, rank %s, %td outlier%s, seed %.0f\n",
                  crs_given(a, CRS_OPT_OUT), shape, rank, c->count, c->count == 1 ? "" : "s",
                  (double)c->recipe.seed);
    if (done) crs_say_place(a, f);
    crs_document_free(d);
    return done;
}

static bool write_all(const crs_args *a, crs_folder *f, const crease_cp_instance *c,
                      crease_error *e)
{
    const crease_cp_recipe *r = &c->recipe;
    crs_document d;
    char rank[32];
    const crs_result out = begin_document(a, r, &d);
    bool done = write_parts(a, f, c, e);
    for (int n = 0; done && n < r->shape.order; n++)
        done = write_factor(f, n, r->shape.dim[n], r->rank, c->factor[n], e);
    crs_put_whole(out.settings, "rank", r->rank);
    crs_put_whole(out.details, "outliers", c->count);
    if (is_eem(a)) {
        done = done && write_axes(f, &out, &r->shape, e);
        put_wavelengths(out.details, "emission_nm", &r->shape, 1);
        put_wavelengths(out.details, "excitation_nm", &r->shape, 2);
    }
    snprintf(rank, sizeof rank, "%td", r->rank);
    if (done) return deliver(a, f, &d, rank, c, e);
    crs_document_free(&d);
    return false;
}

static bool read_tucker_recipe(const crs_args *a, crease_tucker_recipe *r, crease_error *e)
{
    const char *shape = crs_given(a, CRS_OPT_SHAPE), *rank = crs_given(a, CRS_OPT_RANK);
    crease_space s;
    double seed;
    if (!shape)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the shape is missing; add --shape %s",
                        is_matrix(a) ? "200,150" : "30,50,70");
    if (!rank) return crs_fail(e, CREASE_BAD_ARGUMENT, "the rank is missing; add --rank R");
    if (!crs_parse_shape(shape, &s, e) || !crease_space_check(&s, e)) return false;
    if (s.order < 2 || (is_matrix(a) && s.order > 2))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "--shape %.64s has %d dimensions; give %s", shape,
                        s.order, is_matrix(a) ? "two" : "at least two");
    *r = (crease_tucker_recipe){ .parts = crease_cp_recipe_default(&s, 1),
                                 .diagonal = is_matrix(a) };
    if (!crs_parse_ranks(rank, &s, &r->ranks, e) ||
        !crs_option_integer(a, CRS_OPT_seed, 0, 0x1p53, 0, &seed, e))
        return false;
    r->parts.seed = (uint64_t)seed;
    return read_spoils(a, &r->parts, e);
}

/* The four tensors, the places of the outliers, the products on the way to the low-rank part. */
static double tucker_forecast(const crease_tucker_recipe *r)
{
    return 8 * (6 + r->parts.outliers) * (double)crease_size(&r->parts.shape) + 0x1p24;
}

static bool write_tucker(const crs_args *a, crs_folder *f, const crease_tucker_instance *c,
                         crease_error *e)
{
    const crease_space *s = &c->recipe.parts.shape, *ranks = &c->recipe.ranks;
    crs_document d;
    const crs_result out = begin_document(a, &c->recipe.parts, &d);
    bool done =
        write_parts(a, f, c->parts, e) && crs_folder_array(f, "core.npy", ranks, c->core, e);
    for (int n = 0; done && n < s->order; n++)
        done = write_factor(f, n, s->dim[n], ranks->dim[n], c->factor[n], e);
    crs_put_shape(out.settings, "ranks", ranks);
    crs_put_whole(out.details, "outliers", c->parts->count);
    if (done) return deliver(a, f, &d, crs_given(a, CRS_OPT_RANK), c->parts, e);
    crs_document_free(&d);
    return false;
}

static void foretell(const crs_args *a, const crease_space *s, double bytes)
{
    const crs_dry_work work = { 300 * (double)crease_size(s), 1, 2, "times the noise" };
    char names[400] = "tensor.npy, lowrank.npy, sparse.npy, noise.npy", shape[200];
    crs_named_shape(s, NULL, shape, sizeof shape);
    crs_print("%s  %s\n\n", a->word[0], shape);
    crs_dry_memory(bytes);
    crs_dry_time(a, &work);
    for (int n = 0; n < s->order; n++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, ", factor_%d.npy", n + 1);
    }
    if (is_tucker(a)) strncat(names, ", core.npy", sizeof names - strlen(names) - 1);
    crs_dry_files(a, names);
}

/* Of --memory, or of what is free. */
static bool fits(const crs_args *a, double bytes, bool large, crease_error *e)
{
    char need[32], have[32];
    double memory;
    if (!crs_option_bytes(a, CRS_OPT_MEMORY, INFINITY, &memory, e)) return false;
    if (bytes <= memory) return crs_memory_suffices("the instance", bytes, e);
    crs_bytes_text(bytes, need);
    crs_bytes_text(memory, have);
    return crs_fail(e, CREASE_NO_MEMORY, "the instance takes %s where --memory allows %s; %s", need,
                    have,
                    large ? "allow more"
                          : "allow more, or draw a large one by generate cp, a few entries at a "
                            "time");
}

static bool generate_tucker(const crs_args *a, crs_folder *f, crease_error *e)
{
    crease_tucker_recipe r;
    if (!read_tucker_recipe(a, &r, e) || !fits(a, tucker_forecast(&r), false, e) ||
        !crs_folder_of(a, f, e))
        return false;
    if (crs_dry(a)) return foretell(a, &r.parts.shape, tucker_forecast(&r)), true;
    crease_watch_enter(a->watch, CREASE_PHASE_FIT);
    r.parts.watch = a->watch;
    crease_tucker_instance *c = crease_tucker_generate(&r, e);
    crease_watch_enter(a->watch, CREASE_PHASE_WRITE);
    const bool done = c && write_tucker(a, f, c, e);
    crease_tucker_instance_free(c);
    return done;
}

static bool generate_cp(const crs_args *a, crs_folder *f, crease_error *e)
{
    crease_cp_recipe r = { .rank = 0 };
    if (!read_recipe(a, &r, e)) return false;
    const bool large = is_large(a, &r);
    if (!fits(a, forecast(&r, large), large, e) || !crs_folder_of(a, f, e)) return false;
    if (crs_dry(a)) return foretell(a, &r.shape, forecast(&r, large)), true;
    crease_watch_enter(a->watch, CREASE_PHASE_FIT);
    r.watch = a->watch;
    crease_cp_instance *c = large       ? crs_cp_instance_bare(&r, e)
                            : is_eem(a) ? crease_eem_generate(&r, e)
                                        : crease_cp_generate(&r, e);
    if (!large) crease_watch_enter(a->watch, CREASE_PHASE_WRITE);
    const bool done = c && write_all(a, f, c, e);
    crease_cp_instance_free(c);
    return done;
}

static bool run(const crs_args *a, crease_error *e)
{
    crs_folder f = { .path = NULL };
    const bool done = is_tucker(a) ? generate_tucker(a, &f, e) : generate_cp(a, &f, e);
    crs_folder_abandon(&f);
    return done;
}

const crs_verb crs_generate_verb = {
    .name = "generate",
    .words = "cp|tucker|matrix|eem",
    .word = CRS_KIND_ONE_OF("cp|tucker|matrix|eem"),
    .least = 1,
    .most = 1,
    .text = "Draw a random tensor with its truth. cp is low rank (factors drawn from N(0,1)), plus "
            "outliers in a fraction of its entries, plus noise. eem is synthetic fluorescence, "
            "samples x emission x excitation: concentrations times spectra, plus scatter ridges "
            "and spikes, plus noise; its defaults are --shape 20,101,51 --rank 3 --outliers 0.002 "
            "--magnitude 3 --noise 0.005. The folder receives tensor.npy and "
            "its parts lowrank.npy, sparse.npy, noise.npy, the factors factor_1.npy, ..., and "
            "result.json. With tucker there is one rank per mode "
            "(--rank 2,3,4) and core.npy is written too; matrix is of order two. The low-rank "
            "entries of both have standard deviation 1. The same seed gives the same numbers on "
            "every machine and thread "
            "count.",
    .example = "crease generate cp --shape 10,20,30 --rank 3 --seed 1 --out instance",
    .stops = "nothing is written",
    .takes = CRS_LIST(
        CRS_SAYS(SHAPE, "dimensions of the tensor; the last index runs fastest"),
        CRS_SAYS(RANK, "number of rank-one terms; of tucker and matrix one number, or "
                       "one per mode (2,3,4)"),
        CRS_TAKES(OUTLIERS), CRS_TAKES(MAGNITUDE), CRS_TAKES(NOISE), CRS_TAKES(seed),
        CRS_SAYS(MEMORY, "refuse what takes more than this, as 800M or 2G; a large cp takes "
                         "little, whatever its size"),
        CRS_TAKES(max_seconds), CRS_TAKES(OUT), CRS_TAKES(FORMAT), CRS_TAKES(FORCE), CRS_TAKES_LOG,
        CRS_TAKES(DRY_RUN), CRS_TAKES(JSON)),
    .run = run,
};
