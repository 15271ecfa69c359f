/* SPDX-License-Identifier: MIT
 * cp: CP robust PCA judged from the definitions
 *
 *   X_n  |2 (M - Z)_(n) M_n + nu X_n|, to the normal cone where X_n >= 0; M = [[X_1..X_d]]
 *   E    dist(Lambda, alpha dR(E)), Lambda = 2 alpha_N W o B
 *   Z    |2 (Z - M) - Lambda|,   B  0 by the choice of Lambda,   |Z + E + B - T|
 *
 * What rounding did, to first order: a pass over the entries (cp.inc) has M to
 * (rank + 3 + 2d) u |rows' products| |columns' products|, D = M - Z to that and u |D|, and its sums
 * to `summing` of the size of their terms; the sums over its tables are in long double. No scale is
 * off by more than its residual and `summing` of itself. */
#if defined(_OPENMP)
#include <omp.h>
#endif
#include <stdio.h>

#include "verify/rpca/cp.h"

/* Khatri-Rao products of the modes from .. to-1 but `skip`, row l. */
static void products(const crs_cp_check *k, int from, int to, int skip, ptrdiff_t l, real *out)
{
    const crease_cp_claim *c = k->c;
    for (ptrdiff_t r = 0; r < c->rank; r++) out[r] = 1;
    for (int n = to - 1; n >= from; n--) {
        const double *x = c->factor[n] + l % c->shape.dim[n] * c->rank;
        l /= c->shape.dim[n];
        for (ptrdiff_t r = 0; r < c->rank && n != skip; r++) out[r] *= x[r];
    }
}

/* Rows first .. first + count - 1 of all parts. */
static bool read_rows(crs_cp_check *k, ptrdiff_t first, ptrdiff_t count, crease_error *e)
{
    static const crease_rpca_part part[CRS_CP_PARTS] = { CREASE_RPCA_DATA, CREASE_RPCA_SEEN,
                                                         CREASE_RPCA_Z, CREASE_RPCA_SPARSE,
                                                         CREASE_RPCA_B };
    const crease_cp_claim *c = k->c;
    for (ptrdiff_t i = 0; i < count; i++)
        for (int p = 0; p < CRS_CP_PARTS; p++)
            if (!c->read(c->user, part[p], first + i, k->row[p] + i * c->right))
                return crs_fail(e, CREASE_IO, "row %td of the result cannot be read",
                                first + i + 1);
    return true;
}

#if defined(_OPENMP)
#define SHARED _Pragma("omp parallel for schedule(dynamic, 1) num_threads(threads)")
static int all_threads(void) { return omp_get_max_threads(); }
#else
#define SHARED
static int all_threads(void) { return 1; }
#endif

/* run(self, k) for 0 <= k < count, on so many threads (0: all there are). Each piece writes to
 * places of its own, so that the number of threads changes nothing. */
static void in_bands(int threads, ptrdiff_t count, void (*run)(void *self, ptrdiff_t k), void *self)
{
    const int most = all_threads();
    if (threads < 1 || threads > most) threads = most;
    if (threads > count) threads = count > 1 ? (int)count : 1;
    SHARED
    for (ptrdiff_t k = 0; k < count; k++) run(self, k);
}

/* Column r of D_(n) M_n for the modes of the columns, into the node of this stretch. From the last
 * mode to the first, each is then summed up in `collected` itself. */
static void contract(void *self, ptrdiff_t r)
{
    const crs_cp_check *k = self;
    const crease_cp_claim *c = k->c;
    const ptrdiff_t rank = c->rank;
    real *v = k->collected + r * c->right, *at = k->node[k->nodes].at;
    ptrdiff_t length = c->right;
    for (int n = c->shape.order - 1; n >= k->split; n--) {
        const ptrdiff_t dim = c->shape.dim[n];
        real *to = at + crs_cp_node_mode(k, n) + r;
        length /= dim;
        for (ptrdiff_t b = 0; b < length; b++) {
            const real *x = v + b * dim;
            real weight = 1, sum = 0;
            for (ptrdiff_t m = n - 1, rest = b; m >= k->split; rest /= c->shape.dim[m--])
                weight *= c->factor[m][rest % c->shape.dim[m] * rank + r];
            for (ptrdiff_t i = 0; i < dim; i++) {
                to[i * rank] += weight * x[i];
                sum += x[i] * c->factor[n][i * rank + r];
            }
            v[b] = sum;
        }
    }
}

enum { LANES = 8, FEWER = 8, BLOCK = 256, BAND = 16 * BLOCK };

/* Is the slope of the penalty (first - fall |E|)_+ sgn E where E is not 0? */
static bool is_straight(const crs_known_reg *reg, real *first, real *fall)
{
    const char *name = reg->rule->name;
    const bool l1 = strcmp(name, "l1") == 0, mcp = strcmp(name, "mcp") == 0;
    *first = *fall = 0;
    if (!(l1 || mcp) || reg->weight || reg->low > -INFINITY || reg->high < INFINITY) return false;
    *first = reg->factor * reg->par[0];
    if (mcp) *fall = reg->factor / reg->par[1];
    return true;
}

/* In double, which decides all but the closest cases. Every operation on numbers below the normal
 * ones is off by 2^-1075 at most. With norms up to 2^200 and fewer than 2^62 entries and terms,
 * that does not add up to TINY. */
#if defined(__x86_64__) && defined(__GNUC__)
#define VECTORS 1
#else
#define VECTORS 0
#endif
#define NUMBER   double
#define EPSILON  DBL_EPSILON
#define TINY     0x1p-500L
#define AS(name) name##_double
#define SWEEP    crs_cp_sweep_double
#include "verify/rpca/cp.inc"
#undef VECTORS
#undef NUMBER
#undef EPSILON
#undef TINY
#undef AS
#undef SWEEP

/* In long double, whose range the squares of doubles do not leave. */
#define VECTORS  0
#define NUMBER   long double
#define EPSILON  LDBL_EPSILON
#define TINY     0
#define AS(name) name##_extended
#define SWEEP    crs_cp_sweep_extended
#include "verify/rpca/cp.inc"

/* tr G_n = |M_n|^2 and X_n G_n, G_n the Hadamard product of the other modes' Grams */
static real gram(const crs_cp_check *k, int n)
{
    const crease_cp_claim *c = k->c;
    const ptrdiff_t rank = c->rank;
    real trace = 0;
    for (ptrdiff_t p = 0; p < rank * rank; p++) {
        k->gram[p] = 1;
        for (int j = 0; j < c->shape.order; j++) {
            real dot = 0;
            for (ptrdiff_t i = 0; j != n && i < c->shape.dim[j]; i++)
                dot += (real)c->factor[j][i * rank + p / rank] * c->factor[j][i * rank + p % rank];
            if (j != n) k->gram[p] *= dot;
        }
        if (p / rank == p % rank) trace += k->gram[p];
    }
    return trace;
}

/* D_(n) M_n */
static const real *collect(crs_cp_check *k, int n)
{
    const crease_cp_claim *c = k->c;
    const ptrdiff_t rank = c->rank, dim = c->shape.dim[n];
    ptrdiff_t after = 1;
    if (k->list) return k->listed[n];
    if (n >= k->split) return k->columns + crs_cp_node_mode(k, n) - crs_cp_node_mode(k, k->split);
    for (int j = n + 1; j < k->split; j++) after *= c->shape.dim[j];
    for (ptrdiff_t j = 0; j < dim * rank; j++) k->product[j] = 0;
    for (ptrdiff_t l = 0; l < c->left; l++) {
        products(k, 0, k->split, n, l, k->side);
        for (ptrdiff_t r = 0; r < rank; r++)
            k->product[l / after % dim * rank + r] += k->rows[l * rank + r] * k->side[r];
    }
    return k->product;
}

static real cone(real x, real g) { return x > 0 ? g : x == 0 ? positive(-g) : (real)INFINITY; }

real crs_cp_model_rounding(const crs_cp_check *k)
{
    const real count = (real)k->c->rank + 3 + 2 * k->c->shape.order;
    return count * k->unit * k->rows_length * k->columns_length + k->tiny + k->off;
}

static void find_factor(crs_cp_check *k, int n, crs_finding *f)
{
    const crease_cp_claim *c = k->c;
    const ptrdiff_t rank = c->rank, size = c->shape.dim[n] * rank;
    const real reach = sqrtl(gram(k, n)), gap = sqrtl(k->sum[CRS_GAP]);
    real all = 0, without = 0, added = 0, own = 0;
    const real *product = collect(k, n);
    for (ptrdiff_t j = 0; j < size; j++) {
        const real x = c->factor[n][j];
        real xg = 0;
        for (ptrdiff_t r = 0; r < rank; r++)
            xg += c->factor[n][j / rank * rank + r] * k->gram[r * rank + j % rank];
        const real g = 2 * product[j] + c->ridge * x;
        const real off = c->nonneg ? cone(x, g) : g;
        all += off * off;
        without += 4 * (xg - product[j]) * (xg - product[j]);
        added += (2 * xg + c->ridge * x) * (2 * xg + c->ridge * x);
        own += x * x;
    }
    const ptrdiff_t terms = k->list ? k->list->count : c->left + c->right + k->stretches;
    const real longest = (real)(terms + size) * LDBL_EPSILON;
    f->residual = sqrtl(all);
    f->scale = crs_scale(sqrtl(without) + sqrtl(added), 0, k->whole, sqrtl(own));
    f->rounding =
        2 * reach * (crs_cp_model_rounding(k) + (3 * k->unit + k->summing + longest) * gap);
    f->rounding += working_roundings(c->shape.dim[n] + rank + c->shape.order) * sqrtl(own) *
                   (2 * reach * reach + c->ridge);
    k->most = bigger(k->most, reach);
}

/* D, with F(x) = |D|^2 + alpha R(E) + alpha_N |B|^2 + (nu/2) sum |X_n|^2, B where observed, and
 * F_0 where T is Z, E or B alone */
static void find_whole(crs_cp_check *k)
{
    const crease_cp_claim *c = k->c;
    const real an = c->alpha_noise, T2 = k->sum[CRS_T], alone = k->sum[CRS_ALONE];
    real F = k->sum[CRS_GAP] + k->sum[CRS_PENALTY], squares = 0, least = an < 1 ? an * T2 : T2;
    if (an > 0) F += k->sum[CRS_LAMBDA] / (4 * an);
    for (int n = 0; n < c->shape.order; n++)
        for (ptrdiff_t j = 0; j < c->shape.dim[n] * c->rank; j++)
            squares += (real)c->factor[n][j] * c->factor[n][j];
    if (alone < least) least = alone;
    k->whole = least > 0 ? bigger(F + c->ridge / 2 * squares, least) : INFINITY;
}

/* E, Z, B and the constraint; at the reference each of E, Z and B is T/3 */
static void find_rest(crs_cp_check *k, crs_finding *block, crs_finding *feasibility)
{
    const real u = k->unit, sums = k->summing, tiny = k->tiny;
    real norm[CRS_CP_SUMS];
    for (int s = 0; s < CRS_CP_SUMS; s++) norm[s] = sqrtl(k->sum[s]);
    const real lambda = norm[CRS_LAMBDA], dist = norm[CRS_DIST], z = norm[CRS_Z];
    const real T = norm[CRS_T], an = k->c->alpha_noise, third = 2 * T / 3;
    const real pull = an > 0 ? 2 * third * (an < 1 ? an : 1) : third; /* of Z and B, or of Z */
    const real whole = k->whole;
    block[0] = (crs_finding){ .residual = dist };
    block[0].scale = crs_scale(lambda, pull, whole, bigger(norm[CRS_E], T));
    block[0].rounding = 3 * u * lambda + (4 * u + working_roundings(0)) * norm[CRS_SLOPES] + tiny;
    if (dist < INFINITY) block[0].rounding += (2 * u + sums) * dist;
    if (k->list) block[0].rounding += 2 * an / (1 + an) * crs_cp_model_rounding(k);
    block[1] = (crs_finding){ .residual = norm[CRS_SPLIT] };
    const real split = 2 * norm[CRS_M] + 2 * z + lambda;
    block[1].scale = crs_scale(split, third + pull, whole, bigger(z, T));
    block[1].rounding = 2 * crs_cp_model_rounding(k) + 2 * u * (norm[CRS_GAP] + lambda);
    block[1].rounding += (u + sums) * norm[CRS_SPLIT] + tiny;
    block[2] = (crs_finding){ .rounding = u * lambda + tiny };
    block[2].scale = crs_scale(2 * lambda, an * third + pull, whole, bigger(norm[CRS_B], T));
    *feasibility = (crs_finding){ .residual = norm[CRS_FEASIBLE] };
    const real parts = z + norm[CRS_E] + norm[CRS_B] + T;
    feasibility->scale = crs_scale(parts, 0, whole, lambda);
    feasibility->rounding = 4 * u * parts + sums * norm[CRS_FEASIBLE] + tiny;
    k->most = bigger(k->most, bigger(split, parts));
}

int crs_cp_factors(const crs_cp_check *k)
{
    return k->core ? k->core->c->shape.order + 1 : k->c->shape.order;
}

void crs_cp_find(crs_cp_check *k, crs_finding *block, crs_finding *feasibility)
{
    const int factors = crs_cp_factors(k);
    k->most = bigger(k->rows_length, k->columns_length);
    find_whole(k);
    if (k->core) crs_tucker_find(k, block);
    for (int n = 0; !k->core && n < factors; n++) find_factor(k, n, &block[n]);
    find_rest(k, block + factors, feasibility);
}

static bool fits(const crease_cp_claim *c, bool list, double eps, crease_error *e)
{
    ptrdiff_t left = 1, right = 1;
    int split = 0;
    if (!crease_space_check(&c->shape, e)) return false;
    if (list) left = c->left, right = c->right, split = c->shape.order;
    for (; split < c->shape.order && left < c->left; split++) left *= c->shape.dim[split];
    for (int n = split; n < c->shape.order; n++) right *= c->shape.dim[n];
    if (left != c->left || right != c->right || c->rank < 1)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%td rows of %td entries and rank %td do not suit the tensor; let the rows "
                        "run over its first modes",
                        c->left, c->right, c->rank);
    for (int n = 0; n < c->shape.order; n++)
        if (c->shape.dim[n] > PTRDIFF_MAX / 64 / c->rank)
            return crs_fail(e, CREASE_NO_MEMORY, "a factor of rank %td is too large", c->rank);
    return eps >= 0 || crs_fail(e, CREASE_BAD_ARGUMENT, "eps is %g; give a number >= 0", eps);
}

/* Rows at a time: their parts take a few megabytes, or a small part of the tensor. */
static ptrdiff_t rows_at_a_time(const crease_cp_claim *c)
{
    const ptrdiff_t room = (ptrdiff_t)1 << 20, rows = room / c->right, share = c->left / 64;
    const ptrdiff_t most = rows > share ? rows : share;
    return most < 1 ? 1 : most < CRS_CP_ROWS ? most : CRS_CP_ROWS;
}

static void allocate_rows(crs_verifier *v, crs_cp_check *k)
{
    const crease_cp_claim *c = k->c;
    const int rank = c->with ? c->with->rank : 0;
    k->batch = rows_at_a_time(c);
    for (int p = 0; p < CRS_CP_PARTS; p++)
        k->row[p] = crs_room(v, k->batch * c->right, sizeof(double));
    k->rows_first = crs_cp_stretch(k, crs_cp_share(k, rank));
    const ptrdiff_t end = rank > 0 ? crs_cp_stretch(k, crs_cp_share(k, rank + 1)) : c->left;
    k->rows = crs_reals(v, (end - k->rows_first) * c->rank);
    k->collected = crs_reals(v, c->right * c->rank);
    crs_cp_nodes_open(v, k);
}

static void allocate(crs_verifier *v, crs_cp_check *k)
{
    const crease_cp_claim *c = k->c;
    ptrdiff_t most = 0;
    for (int n = 0; n < c->shape.order; n++)
        if (c->shape.dim[n] > most) most = c->shape.dim[n];
    k->side = crs_reals(v, c->rank);
    for (int n = 0; k->list && n < c->shape.order; n++)
        k->listed[n] = crs_reals(v, c->shape.dim[n] * c->rank);
    if (!k->list) allocate_rows(v, k);
    k->gram = crs_reals(v, c->rank * c->rank);
    k->product = crs_reals(v, most * c->rank);
}

bool crs_cp_prepare(crs_verifier *v, crs_cp_check *k)
{
    const crease_cp_claim *c = k->c;
    if (!crs_know_reg(v, &c->penalty, &k->reg) || k->reg.kind != CRS_ENTRIES || k->reg.weight)
        return false;
    k->reg.factor *= c->alpha;
    k->split = k->core ? 1 : 0; /* P is the rows, be it of one */
    for (ptrdiff_t left = 1; !k->list && !k->core && left < c->left; k->split++)
        left *= c->shape.dim[k->split];
    if (!k->list && k->stretches == 0) k->stretches = crs_cp_stretches(c);
    allocate(v, k);
    return true;
}

static const char *name_of(const crs_cp_check *k, int i, char out[32])
{
    static const char *const part[] = { "block E", "block Z", "block B" };
    const int d = crs_cp_factors(k);
    if (i >= d) return part[i - d];
    if (k->core && i == d - 1) return "block C";
    snprintf(out, 32, i < 0 ? "the constraint" : "block X%d", i + 1);
    return out;
}

/* The eps that f passes for sure, and one that it fails for sure. */
static real needed(const crs_cp_check *k, const crs_finding *f, bool relative)
{
    const real total = f->residual + 2 * f->rounding;
    const real scale = f->scale - 2 * (k->summing * f->scale + f->rounding);
    return !relative || total == 0 ? total : total / positive(scale);
}

static real denied(const crs_cp_check *k, const crs_finding *f, bool relative)
{
    const real least = positive(f->residual - 2 * f->rounding);
    const real scale = f->scale + 2 * (k->summing * f->scale + f->rounding);
    return !relative || least == 0 ? least : least / scale;
}

/* Is the verdict the same wherever in their bounds the numbers are, and the eps of a point that
 * fails known to three digits? */
static bool is_settled(const crs_cp_check *k, const crs_finding *block, const crs_finding *rows,
                       double eps, bool relative)
{
    real high = needed(k, rows, relative), low = denied(k, rows, relative);
    for (int i = 0; i < crs_cp_factors(k) + 3; i++) {
        high = bigger(high, needed(k, &block[i], relative));
        low = bigger(low, denied(k, &block[i], relative));
    }
    return k->most <= 0x1p200L && (high <= eps || (low > eps && high <= 1.001L * low));
}

static void decide(const crs_cp_check *k, const crs_finding *block, const crs_finding *rows,
                   double eps, bool relative, crease_verification *out)
{
    char name[32];
    real worst = needed(k, rows, relative);
    out->worst_block = -1;
    out->feasibility = upward(rows->residual + 2 * rows->rounding);
    for (int i = 0; i < out->count; i++) {
        const real need = needed(k, &block[i], relative);
        out->residual[i] = upward(block[i].residual + 2 * block[i].rounding);
        if (!(need <= worst) && !isnan((double)worst)) worst = need, out->worst_block = i;
    }
    out->smallest_eps = isnan((double)worst) ? INFINITY : upward(worst);
    out->verdict = out->smallest_eps <= eps ? CREASE_VERDICT_VALID : CREASE_VERDICT_INVALID;
    snprintf(out->text, sizeof out->text, "%s decides: eps-stationary for %seps >= %.3g",
             name_of(k, out->worst_block, name), relative ? "relative " : "", out->smallest_eps);
}

static bool out_of_memory(const crs_cp_check *k, crease_error *e)
{
    return k->list ? crs_fail(e, CREASE_NO_MEMORY, "out of memory: checking %td entries",
                              k->list->count)
                   : crs_fail(e, CREASE_NO_MEMORY, "out of memory: checking %td x %td entries",
                              k->c->left, k->c->right);
}

/* A pass of all processes; false: one of them could not, or the time is over. */
static bool pass(crs_verifier *v, crs_cp_check *k, crs_cp_sweep *sweep, crease_error *e)
{
    const bool done = !v->no_memory && sweep(v, k, e);
    if (!done && v->no_memory && !v->unfinished) out_of_memory(k, e);
    if (!crs_cp_agree(k, done, e)) return false;
    crs_cp_unite(k);
    return true;
}

/* Rank 0 has the sums, and says whether there is another pass. */
static bool all_passes(crs_verifier *v, crs_cp_check *k, double eps, bool relative,
                       crs_finding *found, crease_error *e)
{
    const crease_checkers *with = k->c->with;
    const bool leads = !with || with->rank == 0;
    int64_t again = 0;
    if (!pass(v, k, crs_cp_sweep_double, e)) return false;
    if (leads) crs_cp_find(k, found + 1, found);
    if (leads) again = !is_settled(k, found + 1, found, eps, relative);
    if (with) with->tell(with->self, &again, sizeof again);
    if (again == 0) return true;
    if (!pass(v, k, crs_cp_sweep_extended, e)) return false;
    if (leads) crs_cp_find(k, found + 1, found);
    return true;
}

static bool pass_list(crs_verifier *v, crs_cp_check *k, crs_finding *found, crease_error *e)
{
    const bool done = !v->no_memory && crs_cp_sweep_entries(v, k, e);
    if (done) crs_cp_find(k, found + 1, found);
    if (!done && v->no_memory && !v->unfinished) out_of_memory(k, e);
    return done;
}

static bool check(crs_verifier *v, crs_cp_check *k, double eps, bool relative,
                  crease_verification *out, crease_error *e)
{
    crs_finding found[CREASE_MAX_ORDER + 5] = { { 0 } }; /* the constraint, then the blocks */
    const bool leads = !k->c->with || k->c->with->rank == 0;
    const bool done =
        k->list ? pass_list(v, k, found, e) : all_passes(v, k, eps, relative, found, e);
    if (v->unfinished || (done && !leads)) return crs_unfinished(out), true;
    if (done) decide(k, found + 1, found, eps, relative, out);
    return done;
}

bool crs_cp_judge(crs_cp_check *k, double eps, bool relative, crease_verification *out,
                  crease_error *e)
{
    crs_verifier v = { .p = NULL, .watch = k->c->watch };
    *out = (crease_verification){ 0 };
    if (!fits(k->c, k->list != NULL, eps, e)) return false;
    *out = (crease_verification){ .smallest_eps = INFINITY, .count = crs_cp_factors(k) + 3 };
    out->residual = crs_doubles(out->count, "a verification", NULL);
    const bool known = out->residual && crs_cp_prepare(&v, k);
    const bool room = out->residual && !v.no_memory;
    for (int i = 0; out->residual && i < out->count; i++) out->residual[i] = NAN;
    if (!room && !v.unfinished) out_of_memory(k, e);
    bool done = crs_cp_agree(k, room, e);
    if (!done && v.unfinished)
        crs_unfinished(out), done = true;
    else if (done && known)
        done = check(&v, k, eps, relative, out, e);
    else if (done)
        snprintf(out->text, sizeof out->text, "unsupported: the penalty is not by entries");
    crs_rooms_free(&v);
    if (!done) crease_verification_free(out);
    return done;
}

bool crease_cp_verify(const crease_cp_claim *c, double eps, bool relative, crease_verification *out,
                      crease_error *e)
{
    crs_cp_check k = { .c = c };
    return crs_cp_judge(&k, eps, relative, out, e);
}

bool crease_cp_verify_entries(const crease_cp_claim *c, const crease_cp_entries *list, double eps,
                              bool relative, crease_verification *out, crease_error *e)
{
    crs_cp_check k = { .c = c, .list = list };
    return crs_cp_judge(&k, eps, relative, out, e);
}
