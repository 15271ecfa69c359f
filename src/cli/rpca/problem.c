/* SPDX-License-Identifier: MIT
 * problem: a Tucker or matrix model as a problem file, which crease solve reads, and its
 * results judged: by the problem's own checker, then lowrank, sparse and noise beside the model and
 * the data, which is asked of a CP model too */
#include "cli/rpca/rpca.h"

/* {"scaled": {"alpha": a, "regularizer": {"mcp": {"lambda": l, "gamma": g}}}} */
static void put_penalty(crs_spot block, const crs_tucker_job *j, const crease_rpca_settings *s)
{
    const crs_spot scaled = crs_put_object(crs_put_object(block, "regularizer"), "scaled");
    crs_put_number(scaled, "alpha", s->alpha);
    crs_put_parameters(crs_put_object(scaled, "regularizer"), j->penalty.spec.name,
                       j->penalty.params, s->penalty.par);
}

static void put_block(crs_spot to, const crs_tucker_job *j, int i)
{
    const crease_problem *p = crease_rpca_problem(j->fit);
    const crease_rpca_settings *used = crease_rpca_used(j->fit);
    const bool convex = used->kind == CREASE_RPCA_PCP;
    crs_put_text(to, "name", p->block[i].name);
    crs_put_shape(to, "shape", &p->space[i]);
    if (convex && i == 0)
        crs_put_text(to, "regularizer", "nuclear:1");
    else if (convex)
        crs_put_number(crs_put_object(crs_put_object(to, "regularizer"), "l1"), "lambda",
                       used->alpha);
    else if (strcmp(p->block[i].name, "E") == 0)
        put_penalty(to, j, used);
    if (p->block[i].set)
        crs_put_number(crs_put_object(crs_put_object(to, "set"), "l2-ball"), "radius",
                       p->block[i].set->par[0]);
}

static void put_tucker_couplings(crs_spot list, const crs_tucker_job *j)
{
    const crease_rpca_settings *used = crease_rpca_used(j->fit);
    const crs_spot tucker = crs_put_object(crs_put_object(list, NULL), "tucker");
    const crs_spot factors = crs_put_list(tucker, "factors"), noise = crs_put_object(list, NULL);
    for (int n = 0; n < used->shape.order; n++) {
        char name[16];
        snprintf(name, sizeof name, "X%d", n + 1);
        crs_put_text(factors, NULL, name);
    }
    crs_put_text(tucker, "core", "C");
    crs_put_text(tucker, "z", "Z");
    if (crease_rpca_about(j->fit)->missing > 0) {
        const crs_spot terms = crs_put_object(crs_put_object(noise, "least_squares"), "terms");
        crs_put_text(crs_put_object(terms, "B"), "diagonal", "mask.npy");
    } else {
        const crs_spot distance = crs_put_object(noise, "squared_distance");
        crs_put_text(distance, "a", "B");
        crs_put_number(distance, "weight", 2 * used->alpha_noise);
    }
}

static void problem_document(const crs_tucker_job *j, crs_document *d)
{
    const crease_rpca_kind kind = crease_rpca_used(j->fit)->kind;
    const crease_problem *p = crease_rpca_problem(j->fit);
    const crs_spot top = crs_document_begin(d, NULL);
    crs_put_whole(top, "crease", 1);
    crs_put_text(top, "description", "robust PCA of data.npy");
    const crs_spot blocks = crs_put_list(top, "blocks");
    for (int i = 0; i < p->count; i++) put_block(crs_put_object(blocks, NULL), j, i);
    const crs_spot constraint = crs_put_object(top, "constraint");
    const crs_spot maps = crs_put_object(constraint, "maps");
    for (int i = 0; i < p->count; i++)
        if (p->block[i].map.ops) crs_put_whole(maps, p->block[i].name, 1);
    crs_put_text(constraint, "rhs", "data.npy");
    if (kind == CREASE_RPCA_TUCKER) put_tucker_couplings(crs_put_list(top, "smooth"), j);
    if (kind != CREASE_RPCA_BALL) return;
    const crs_spot product =
        crs_put_object(crs_put_object(crs_put_list(top, "smooth"), NULL), "matrix_factorization");
    crs_put_text(product, "x", "X");
    crs_put_text(product, "y", "Y");
    crs_put_text(product, "z", "Z");
}

/* mask.npy holds sqrt(2 alpha_N) W, so that the coupling is alpha_N |W o B|^2. */
bool crs_tucker_problem(crs_tucker_job *j, crease_error *e)
{
    const crease_problem *p = crease_rpca_problem(j->fit);
    const double weight = sqrt(2 * crease_rpca_used(j->fit)->alpha_noise);
    const bool partial = crease_rpca_about(j->fit)->missing > 0;
    const ptrdiff_t size = crease_size(&p->range);
    double *root = partial ? crs_doubles(size, "the mask", e) : NULL;
    crs_document d;
    if (partial && !root) return false;
    if (root) crease_rpca_read(j->fit, CREASE_RPCA_SEEN, 0, p->range.dim[0], root);
    for (ptrdiff_t k = 0; root && k < size; k++) root[k] *= weight;
    problem_document(j, &d);
    const bool done = crs_folder_array(&j->folder, "data.npy", &p->range, p->rhs, e) &&
                      (!root || crs_folder_array(&j->folder, "mask.npy", &p->range, root, e)) &&
                      crs_folder_document(&j->folder, "problem.json", &d, e);
    crs_free(root);
    crs_document_free(&d);
    return done;
}

/* Where nothing was observed B = -Z - E and Lambda = 0. */
bool crs_rpca_check_whole(const crs_rpca_claim *c, double *const *factor, double *const *part,
                          crease_verification *v, crease_error *e)
{
    const ptrdiff_t n = crease_size(&c->s.shape);
    const int d = c->s.shape.order;
    const double *E = part[CRS_PART_E], *Z = part[CRS_PART_Z], *W = part[CRS_PART_W];
    const double *x[CREASE_MAX_ORDER + 3];
    double *B = crs_doubles(2 * n, "the check", e), *lambda = B ? B + n : NULL;
    for (ptrdiff_t j = 0; B && j < n; j++) {
        B[j] = W[j] == 0 ? -Z[j] - E[j] : part[CRS_PART_T][j] - E[j] - Z[j];
        lambda[j] = W[j] == 0 ? 0 : 2 * c->s.alpha_noise * B[j];
    }
    for (int k = 0; k < d; k++) x[k] = factor[k];
    x[d] = E, x[d + 1] = Z, x[d + 2] = B;
    const crease_cp_rpca_settings s = { .shape = c->s.shape,
                                        .rank = c->s.rank,
                                        .penalty = c->s.penalty,
                                        .groups = c->s.groups,
                                        .axis = c->s.axis,
                                        .alpha = c->s.alpha,
                                        .alpha_noise = c->s.alpha_noise,
                                        .ridge = c->s.ridge,
                                        .nonneg = c->s.nonneg,
                                        .mask = W,
                                        .factor = x };
    crease_cp_rpca *m = B ? crease_cp_rpca_new(&s, part[CRS_PART_T], e) : NULL;
    const crease_claim claim = { .p = m ? crease_cp_rpca_problem(m) : NULL,
                                 .x = x,
                                 .lambda = lambda,
                                 .eps = c->eps,
                                 .relative = c->relative,
                                 .watch = c->watch };
    const bool done = m && crease_claim_verify(&claim, v, e) &&
                      (!c->objective || crease_objective(claim.p, x, c->objective, e));
    crease_cp_rpca_free(m);
    crs_free(B);
    return done;
}

/* The arrays people load, a few fibres along the last mode at a time. */
enum { FILE_L, FILE_E, FILE_N, FILES, MODEL = FILES, DATA, ALL };
static const char *const file_of[] = { "lowrank.npy", "sparse.npy", "noise.npy" };

static bool fits(const crs_rpca_arrays *a, int k, ptrdiff_t at, double is, double wanted,
                 double tolerance)
{
    if (fabs(is - wanted) <= tolerance) return true;
    crs_judged_invalid(a->j, "entry %td of %s is %.17g and %.17g follows from the other arrays",
                       at + 1, file_of[k], is, wanted);
    return false;
}

/* Entries first, ..; false: something does not fit. What has no file follows from the rest. */
static bool judge_piece(const crs_rpca_arrays *a, const crs_part *file, ptrdiff_t first,
                        ptrdiff_t count, double *const *x)
{
    const double around = crs_center_size(a->center);
    if (!file[FILE_L].file.f) copy(count, x[MODEL], x[FILE_L]);
    for (ptrdiff_t i = 0; i < count; i++) {
        const double L = x[FILE_L][i], E = x[FILE_E][i], T = x[DATA][i];
        const double t = isnan(T) ? L + E : T, size = around + fabs(t) + fabs(L) + fabs(E);
        if (!file[FILE_N].file.f) x[FILE_N][i] = t - L - E;
        if (!fits(a, FILE_L, first + i, L, x[MODEL][i], a->tolerance) ||
            !fits(a, FILE_N, first + i, x[FILE_N][i], t - L - E, 1e-12 * size))
            return false;
    }
    return true;
}

/* c |N|^2 + alpha rho(E) */
static bool add_piece(const crs_rpca_arrays *a, ptrdiff_t count, double *const *x, crease_error *e)
{
    const crease_rpca_settings *s = &a->sum->s;
    const crease_space space = crease_vector(count);
    const double norm = crease_norm(&space, x[FILE_N]);
    double rho = 0;
    if (!crease_reg_value(&s->penalty, &space, x[FILE_E], &rho, e)) return false;
    a->j->objective += s->alpha_noise / (1 + s->alpha_noise) * square(norm) + s->alpha * rho;
    return true;
}

static bool open_arrays(const crs_rpca_arrays *a, crs_part *file, crease_error *e)
{
    const crease_space *first = NULL;
    for (int k = 0; k < FILES; k++) {
        const crease_space *s = &file[k].file.header.shape;
        if (!(a->parts >> k & 1)) continue;
        if (!crs_part_open(a->j->certificate->folder, file_of[k], &a->shape, &file[k], e))
            return false;
        if (!crs_part_at(&file[k], a->first, e)) return false;
        if (file[k].pairs) continue;
        if (first && !crease_space_equal(s, first))
            return crs_fail(e, CREASE_BAD_SHAPE, "%s is not of the shape of the data", file_of[k]);
        first = s;
    }
    return true;
}

static bool read_piece(const crs_rpca_arrays *a, crs_part *file, ptrdiff_t first, ptrdiff_t count,
                       double *const *x, crease_error *e)
{
    for (int k = 0; k < FILES; k++)
        if (file[k].file.f && !crs_part_next(&file[k], count, x[k], e)) return false;
    if (!a->data(a->self, first, count, x[DATA], e)) return false;
    a->model(a->self, first, count, x[MODEL]);
    if (file[FILE_L].file.f) crs_center_shift(a->center, -1, first, count, x[FILE_L]);
    crs_noise_times(a->center, -1, first, count, x[FILE_E]);
    if (file[FILE_N].file.f) crs_noise_times(a->center, -1, first, count, x[FILE_N]);
    return true;
}

bool crs_rpca_judge(const crs_rpca_arrays *a, crease_error *e)
{
    enum { PIECE = 4096 };
    const ptrdiff_t end = a->end > 0 ? a->end : crease_size(&a->shape);
    const ptrdiff_t n = a->shape.dim[a->shape.order - 1], most = n * (n < PIECE ? PIECE / n : 1);
    crs_part *file = crs_alloc(FILES, sizeof *file);
    double *x[ALL], *buffer = crs_doubles(ALL * most, "a part of the result", e);
    bool done = buffer && (file || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the arrays"));
    bool right = true;
    for (int k = 0; k < ALL; k++) x[k] = buffer ? buffer + k * most : NULL;
    done = done && open_arrays(a, file, e);
    for (ptrdiff_t at = a->first; done && at < end; at += most) {
        const ptrdiff_t count = end - at < most ? end - at : most;
        done = read_piece(a, file, at, count, x, e);
        right = right && done && judge_piece(a, file, at, count, x);
        if (right && a->sum) done = add_piece(a, count, x, e);
    }
    for (int k = 0; file && k < FILES; k++) crs_part_close(&file[k]);
    crs_free(file);
    crs_free(buffer);
    return done;
}

/* The low-rank part of a problem of robust PCA: the product of its blocks, whole. */
typedef struct {
    double *whole;
    const double *T, *seen; /* seen may be NULL */
} product;

static void product_entries(void *self, ptrdiff_t first, ptrdiff_t count, double *out)
{
    const product *p = self;
    copy(count, p->whole + first, out);
}

static bool data_entries(void *self, ptrdiff_t first, ptrdiff_t count, double *out, crease_error *e)
{
    const product *p = self;
    (void)e;
    copy(count, p->T + first, out);
    for (ptrdiff_t k = 0; p->seen && k < count; k++)
        if (p->seen[first + k] == 0) out[k] = NAN;
    return true;
}

static int block_of(const crease_problem *p, const char *name)
{
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->block[i].name, name) == 0) return i;
    return -1;
}

/* C x_1 X_1 ... x_d X_d; NULL: out of memory, or there is no such problem. */
static double *tucker_product(const crease_problem *p, const double *const *x, int core,
                              crease_error *e)
{
    const crease_space *ranks = &p->space[core];
    const double *factor[CREASE_MAX_ORDER];
    crease_space rows = *ranks;
    for (int m = 0; m < ranks->order; m++) {
        char name[16];
        snprintf(name, sizeof name, "X%d", m + 1);
        const int i = block_of(p, name);
        if (i < 0) return crs_fail(e, CREASE_BAD_DATA, "problem.json is not of robust PCA"), NULL;
        factor[m] = x[i];
        rows.dim[m] = p->space[i].dim[0];
    }
    return crs_tucker_expand(&rows, ranks, ranks->order, factor, x[core], e);
}

/* X Y' */
static double *matrix_product(const crease_problem *p, const double *const *x, crease_error *e)
{
    const int X = block_of(p, "X"), Y = block_of(p, "Y");
    const ptrdiff_t m = p->space[X].dim[0], n = p->space[Y].dim[0], rank = p->space[X].dim[1];
    double *out = crs_doubles(m * n, "the low-rank part", e);
    for (ptrdiff_t i = 0; out && i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++)
            for (ptrdiff_t r = 0; r < rank; r++)
                out[i * n + j] += x[X][i * rank + r] * x[Y][j * rank + r];
    return out;
}

/* By the blocks it has: core and factors, two factors, or the low-rank part itself. */
static double *lowrank_of(const crs_point_file *f, crease_error *e)
{
    const crease_problem *p = &f->file->problem;
    const int core = block_of(p, "C"), L = block_of(p, "L");
    if (core >= 0) return tucker_product(p, f->x, core, e);
    if (L < 0 && block_of(p, "X") >= 0 && block_of(p, "Y") >= 0) return matrix_product(p, f->x, e);
    double *out = L >= 0 ? crs_doubles(crease_size(&p->range), "the low-rank part", e) : NULL;
    if (out) copy(crease_size(&p->range), f->x[L], out);
    if (L < 0) crs_fail(e, CREASE_BAD_DATA, "problem.json is not of robust PCA");
    return out;
}

bool crs_check_rpca_problem(crs_judged *j, crease_error *e)
{
    crs_point_file f;
    if (!crs_check_problem(j, e) ||
        !crs_point_read(j->certificate, crs_given(j->a, CRS_OPT_PROBLEM), &f, e))
        return false;
    const crease_space *s = &f.file->problem.range;
    crs_array mask = { .data = NULL };
    crs_center_arrays center;
    const bool read = crs_read_if_there(j->certificate->folder, "mask.npy", &mask, e) &&
                      crs_center_read(j->certificate->folder, s, &center, e);
    product p = { read ? lowrank_of(&f, e) : NULL, f.file->problem.rhs, mask.data };
    double most = 0;
    for (ptrdiff_t k = 0; p.whole && k < crease_size(s); k++) most = larger(most, fabs(p.whole[k]));
    const crs_rpca_arrays a = { .j = j,
                                .shape = *s,
                                .data = data_entries,
                                .model = product_entries,
                                .self = &p,
                                .tolerance =
                                    read ? 1e-10 * most + 1e-12 * crs_center_size(&center) : 0,
                                .center = &center,
                                .parts = ~0u };
    bool done = p.whole;
    if (done && mask.data && crease_size(&mask.shape) != crease_size(s))
        done = crs_fail(e, CREASE_BAD_SHAPE, "mask.npy is not of the size of the data");
    done = done && crs_rpca_judge(&a, e);
    crs_free(p.whole);
    crs_array_free(&mask);
    if (read) crs_center_close(&center);
    crs_point_free(&f);
    return done;
}
