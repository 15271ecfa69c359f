/* SPDX-License-Identifier: MIT
 * listed: results of robust PCA of few observed entries, judged from these alone
 *
 * E has the entries of sparse_entries.npy, or those of the fit, each of them observed. Z and B
 * follow: Z = M + c W o (T - E - M) and B = T - E - Z. Memory is for the entries and the factors.
 */
#include "cli/rpca/rpca.h"

typedef struct {
    const crs_coordinates *t;
    double *e;     /* of each entry of the list */
    ptrdiff_t row; /* of the lead mode, where the last entry was */
} entries;

/* Where in the list an entry of the tensor is; -1: it was not observed */
static ptrdiff_t find(const crs_coordinates *t, double place)
{
    const ptrdiff_t wanted = (ptrdiff_t)place, right = crs_right(&t->shape, t->lead);
    const ptrdiff_t row = wanted / right % t->shape.dim[t->lead];
    ptrdiff_t low = t->start[row], high = t->start[row + 1], at[CREASE_MAX_ORDER];
    while (low < high) {
        const ptrdiff_t middle = low + (high - low) / 2;
        if (crs_coordinates_place(t, row, middle, at) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    const bool there = low < t->start[row + 1] && crs_coordinates_place(t, row, low, at) == wanted;
    return there ? low : -1;
}

static bool is_place(const crs_coordinates *t, double place)
{
    return place >= 0 && place < (double)crease_size(&t->shape) && place == floor(place);
}

/* Of pairs (place, value) in the order of places; a single one with a value of 0 says there is
 * none. */
static bool put_pairs(entries *x, ptrdiff_t count, const double *pair, crease_error *e)
{
    double before = -1;
    if (count == 1 && pair[1] == 0) return true;
    for (ptrdiff_t k = 0; k < count; k++) {
        const double place = pair[2 * k];
        const ptrdiff_t at = is_place(x->t, place) && place > before ? find(x->t, place) : -1;
        if (at < 0)
            return crs_fail(e, CREASE_BAD_DATA,
                            "sparse_entries.npy: the place of entry %td is %.17g; places ascend, "
                            "and are of entries that were observed",
                            k + 1, place);
        x->e[at] = pair[2 * k + 1];
        before = place;
    }
    return true;
}

static bool from_folder(entries *x, const char *folder, crease_error *e)
{
    crs_array pairs;
    if (!crs_read_in(folder, "sparse_entries.npy", &pairs, e)) return false;
    const bool fits = pairs.shape.order == 2 && pairs.shape.dim[1] == 2;
    const bool done = fits ? put_pairs(x, pairs.shape.dim[0], pairs.data, e)
                           : crs_fail(e, CREASE_BAD_SHAPE,
                                      "sparse_entries.npy has no rows of a place and a value");
    crs_array_free(&pairs);
    return done;
}

static bool from_fit(entries *x, const crease_rpca *fit, crease_error *e)
{
    const ptrdiff_t count = crease_rpca_about((crease_rpca *)(uintptr_t)fit)->outliers;
    crs_parts parts;
    double *pair = crs_doubles(2 * more(1, count), "the sparse part", e);
    if (pair && crs_parts_listed(fit, &parts)) crs_parts_pairs(&parts, pair);
    const bool done = pair && put_pairs(x, count, pair, e);
    crs_free(pair);
    return done;
}

static bool open_entries(const crs_rpca_claim *c, entries *x, crease_error *e)
{
    *x = (entries){ .t = c->list, .e = crs_doubles(more(1, c->list->count), "the entries", e) };
    return x->e && (c->folder ? from_folder(x, c->folder, e) : from_fit(x, c->fit, e));
}

/* Asked for in the order of the list, and then again */
static void entry(void *user, ptrdiff_t k, ptrdiff_t *index, double *t, double *e)
{
    entries *x = user;
    if (k < x->t->start[x->row]) x->row = 0;
    while (k >= x->t->start[x->row + 1]) x->row++;
    crs_coordinates_place(x->t, x->row, k, index);
    *t = x->t->value[k];
    *e = x->e[k];
}

bool crs_rpca_check_listed(const crs_rpca_claim *c, double *const *factor, crease_verification *v,
                           crease_error *e)
{
    entries x;
    const crease_cp_claim claim = { .shape = c->s.shape,
                                    .rank = c->s.rank,
                                    .penalty = c->s.penalty,
                                    .alpha = c->s.alpha,
                                    .alpha_noise = c->s.alpha_noise,
                                    .ridge = c->s.ridge,
                                    .nonneg = c->s.nonneg,
                                    .factor = (const double *const *)factor,
                                    .watch = c->watch };
    const bool ready = open_entries(c, &x, e);
    const crease_cp_entries list = { c->list->count, entry, &x };
    const bool done = ready && crease_cp_verify_entries(&claim, &list, c->eps, c->relative, v, e);
    crs_free(x.e);
    return done;
}

/* M at an entry, of unit columns and weights */
static double model_at(const crs_rpca_claim *c, const ptrdiff_t *at)
{
    double sum = 0;
    for (ptrdiff_t r = 0; r < c->s.rank; r++) {
        double product = c->weight[r];
        for (int n = 0; n < c->s.shape.order; n++) product *= c->unit[n][at[n] * c->s.rank + r];
        sum += product;
    }
    return sum;
}

bool crs_rpca_judge_listed(crs_judged *j, const crs_rpca_claim *c, crease_error *e)
{
    const crease_rpca_settings *s = &c->s;
    const crease_space all = crease_vector(more(1, c->list->count));
    double noise = 0, rho = 0;
    entries x;
    bool done = open_entries(c, &x, e);
    for (ptrdiff_t k = 0; done && k < c->list->count; k++) {
        ptrdiff_t at[CREASE_MAX_ORDER];
        double t, sparse;
        entry(&x, k, at, &t, &sparse);
        noise += square(t - sparse - model_at(c, at));
        j->scale += square(t);
    }
    done = done && crease_reg_value(&s->penalty, &all, x.e, &rho, e);
    j->objective = s->alpha_noise / (1 + s->alpha_noise) * noise + s->alpha * rho;
    for (ptrdiff_t r = 0; r < s->rank; r++)
        j->objective +=
            s->ridge / 2 * s->shape.order * pow(fabs(c->weight[r]), 2.0 / s->shape.order);
    crs_free(x.e);
    return done;
}
