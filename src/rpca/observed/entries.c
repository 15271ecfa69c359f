/* SPDX-License-Identifier: MIT
 * entries: observed entries one after the other at a point of cp
 *
 * Nothing has the size of the tensor. What a certificate sums up over all entries follows from the
 * observed ones and the Gram matrices of the factors (certify.c): where nothing was observed, E and
 * s are 0 and Z = -B = M. */
#include "rpca/observed/entries.h"
#include "dense/dense.h"

/* An entry's indices, and M there */
static double model_of(const crs_kruskal *k, const ptrdiff_t *at)
{
    double sum = 0;
    for (ptrdiff_t r = 0; r < k->rank; r++) {
        double product = 1;
        for (int n = 0; n < k->shape.order; n++) product *= k->factor[n][at[n] * k->rank + r];
        sum += product;
    }
    return sum;
}

static crs_listed_entry entry_of(const crs_cp_point *p, double t, const ptrdiff_t *at)
{
    crs_listed_entry x = { .t = t, .m = model_of(&p->k, at) };
    const double rest = t - x.m;
    if (!(fabs(rest) <= p->dead)) x.e = crs_scalar_prox(&p->rho, 1 / (2 * noise_share(p)), rest);
    x.s = rest - x.e;
    return x;
}

void crs_listed_each(const crs_cp_point *p, int power, crs_listed_visit *visit, void *self)
{
    const crs_coordinates *t = p->source->listed;
    for (ptrdiff_t i = 0, k = 0; i < t->shape.dim[t->lead]; i++)
        for (; k < t->start[i + 1]; k++) {
            ptrdiff_t at[CREASE_MAX_ORDER];
            const ptrdiff_t place = crs_coordinates_place(t, i, k, at);
            crs_listed_entry x = entry_of(p, t->value[k], at);
            x.place = place;
            if (power != 0) {
                x.t = ldexp(x.t, power), x.m = ldexp(x.m, power), x.e = ldexp(x.e, power);
                x.s = x.t - x.m - x.e;
            }
            visit(self, &x);
        }
}

static void add_up(const crs_cp_point *p, const crs_listed_entry *x, crs_listed_sums *sum)
{
    const double lambda = 2 * noise_share(p) * x->s;
    const double off =
        x->e == 0 ? pos(fabs(lambda) - p->steep) : crs_scalar_dist(&p->rho, x->e, lambda);
    sum->rest += x->s * x->s;
    sum->dist += off * off;
    if (x->e != 0) sum->penalty += crs_scalar_value(&p->rho, x->e);
    sum->model += x->m * x->m;
    sum->cross += x->m * x->s;
    sum->sparse += x->e * x->e;
    sum->data += x->t * x->t;
}

/* product[n] += s times the rows of the other factors */
static void spread(const crs_kruskal *k, const ptrdiff_t *at, double s, double *const *product)
{
    const int d = k->shape.order;
    for (int n = 0; s != 0 && n < d; n++) {
        double *to = product[n] + at[n] * k->rank;
        for (ptrdiff_t r = 0; r < k->rank; r++) {
            double a = s;
            for (int m = 0; m < d; m++)
                if (m != n) a *= k->factor[m][at[m] * k->rank + r];
            to[r] += a;
        }
    }
}

void crs_listed_judge(const crs_cp_point *p, crs_listed_sums *sums, double *const *product)
{
    const crs_coordinates *t = p->source->listed;
    *sums = (crs_listed_sums){ 0 };
    for (int n = 0; n < t->shape.order; n++) fill(t->shape.dim[n] * p->k.rank, 0, product[n]);
    for (ptrdiff_t i = 0, k = 0; i < t->shape.dim[t->lead]; i++) {
        crs_listed_sums row = { 0 };
        for (; k < t->start[i + 1]; k++) {
            ptrdiff_t at[CREASE_MAX_ORDER];
            crs_coordinates_place(t, i, k, at);
            const crs_listed_entry x = entry_of(p, t->value[k], at);
            add_up(p, &x, &row);
            spread(&p->k, at, x.s, product);
        }
        axpy(sizeof row / sizeof(double), 1, &row.rest, &sums->rest);
    }
}

void crs_listed_alone(const crs_coordinates *t, const crs_penalty_value *rho, double out[2])
{
    out[0] = out[1] = 0;
    for (ptrdiff_t i = 0, k = 0; i < t->shape.dim[t->lead]; i++) {
        double row[2] = { 0, 0 };
        for (; k < t->start[i + 1]; k++) {
            row[0] += square(t->value[k]);
            row[1] += crs_scalar_value(rho, t->value[k]);
        }
        out[0] += row[0], out[1] += row[1];
    }
}

typedef struct {
    const crs_listed_rows_of *rows;
    double share, c;
    double *out;
} reading;

static void read_entry(void *self, const crs_listed_entry *x)
{
    const reading *r = self;
    const ptrdiff_t j = x->place - r->rows->first;
    if (j < 0 || j >= r->rows->count) return;
    switch (r->rows->part) {
    case CREASE_RPCA_LOWRANK:
        break;
    case CREASE_RPCA_SPARSE:
        r->out[j] = x->e;
        break;
    case CREASE_RPCA_Z:
        r->out[j] = x->m + r->c * x->s;
        break;
    case CREASE_RPCA_B:
        r->out[j] = r->share * x->s;
        break;
    case CREASE_RPCA_DATA:
        r->out[j] = x->t;
        break;
    case CREASE_RPCA_SEEN:
        r->out[j] = 1;
        break;
    default:
        r->out[j] = x->s;
    }
}

void crs_listed_read(const crs_cp_point *p, const crs_listed_rows_of *rows, double *out)
{
    const crease_space *s = &p->k.shape;
    const bool model = rows->part == CREASE_RPCA_LOWRANK || rows->part == CREASE_RPCA_Z;
    reading r = { rows, 1 / (1 + p->alpha_noise), noise_share(p), out };
    for (ptrdiff_t j = 0; j < rows->count; j++) {
        ptrdiff_t at[CREASE_MAX_ORDER], rest = rows->first + j;
        for (int n = s->order - 1; n >= 0; rest /= s->dim[n--]) at[n] = rest % s->dim[n];
        out[j] = model ? model_of(&p->k, at) : 0;
    }
    if (rows->part != CREASE_RPCA_LOWRANK) crs_listed_each(p, 0, read_entry, &r);
}

bool crs_listed_sample(const crs_coordinates *t, ptrdiff_t most, crs_cp_sample *s, crease_error *e)
{
    const ptrdiff_t count = fewer(most, t->count);
    *s = (crs_cp_sample){ .at = crs_alloc((size_t)more(1, count), sizeof *s->at) };
    if (!s->at) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a sample of the data");
    s->t = crs_doubles(more(1, count), "a sample of the data", e);
    if (!s->t) return false;
    for (ptrdiff_t i = 0; s->count < count; s->count++) {
        const ptrdiff_t k = s->count * (t->count / count) + s->count * (t->count % count) / count;
        ptrdiff_t at[CREASE_MAX_ORDER];
        while (k >= t->start[i + 1]) i++;
        s->at[s->count] = crs_coordinates_place(t, i, k, at);
        s->t[s->count] = t->value[k];
    }
    return true;
}
