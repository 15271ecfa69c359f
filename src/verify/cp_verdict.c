/* SPDX-License-Identifier: MIT
 * cp_verdict: the verdict on a claim about CP robust PCA */
#include <stdio.h>

#include "verify/cp.h"

static bool fits(const crease_cp_claim *c, double eps, crease_error *e)
{
    ptrdiff_t left = 1, right = 1;
    int split = 0;
    if (!crease_space_check(&c->shape, e)) return false;
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

static void allocate(crs_verifier *v, crs_cp_check *k)
{
    const crease_cp_claim *c = k->c;
    ptrdiff_t most = 0;
    for (int n = 0; n < c->shape.order; n++)
        if (c->shape.dim[n] > most) most = c->shape.dim[n];
    k->batch = rows_at_a_time(c);
    for (int p = 0; p < CRS_CP_PARTS; p++)
        k->row[p] = crs_room(v, k->batch * c->right, sizeof(double));
    k->side = crs_reals(v, c->rank);
    k->rows = crs_reals(v, c->left * c->rank);
    k->collected = crs_reals(v, c->right * c->rank);
    k->gram = crs_reals(v, c->rank * c->rank);
    k->product = crs_reals(v, most * c->rank);
}

bool crs_cp_prepare(crs_verifier *v, crs_cp_check *k)
{
    const crease_cp_claim *c = k->c;
    if (!crs_know_reg(v, &c->penalty, &k->reg) || k->reg.kind != CRS_ENTRIES || k->reg.weight)
        return false;
    k->reg.factor *= c->alpha;
    for (ptrdiff_t left = 1; left < c->left; k->split++) left *= c->shape.dim[k->split];
    allocate(v, k);
    return true;
}

static const char *name_of(const crease_cp_claim *c, int i, char out[32])
{
    static const char *const part[] = { "block E", "block Z", "block B" };
    const int d = c->shape.order;
    if (i >= d) return part[i - d];
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
    for (int i = 0; i < k->c->shape.order + 3; i++) {
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
             name_of(k->c, out->worst_block, name), relative ? "relative " : "", out->smallest_eps);
}

static bool check(crs_verifier *v, crs_cp_check *k, double eps, bool relative,
                  crease_verification *out, crease_error *e)
{
    const crease_cp_claim *c = k->c;
    crs_finding block[CREASE_MAX_ORDER + 3] = { { 0 } }, rows = { 0 };
    if (!crs_cp_prepare(v, k)) {
        snprintf(out->text, sizeof out->text, "unsupported: the penalty is not by entries");
        return true;
    }
    bool done = !v->no_memory && crs_cp_sweep_double(v, k, e);
    if (done) crs_cp_find(k, block, &rows);
    if (done && !is_settled(k, block, &rows, eps, relative)) {
        done = crs_cp_sweep_extended(v, k, e);
        if (done) crs_cp_find(k, block, &rows);
    }
    if (done) decide(k, block, &rows, eps, relative, out);
    return done || !v->no_memory
               ? done
               : crs_fail(e, CREASE_NO_MEMORY, "out of memory: checking %td x %td entries", c->left,
                          c->right);
}

bool crease_cp_verify(const crease_cp_claim *c, double eps, bool relative, crease_verification *out,
                      crease_error *e)
{
    crs_verifier v = { .p = NULL };
    crs_cp_check k = { .c = c };
    *out = (crease_verification){ 0 };
    if (!fits(c, eps, e)) return false;
    *out = (crease_verification){ .smallest_eps = INFINITY, .count = c->shape.order + 3 };
    out->residual = crs_doubles(out->count, "a verification", e);
    if (!out->residual) return *out = (crease_verification){ 0 }, false;
    for (int i = 0; i < out->count; i++) out->residual[i] = NAN;
    const bool done = check(&v, &k, eps, relative, out, e);
    crs_rooms_free(&v);
    if (!done) crease_verification_free(out);
    return done;
}
