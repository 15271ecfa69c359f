/* SPDX-License-Identifier: MIT
 * atoms: the active set of Frank-Wolfe steps: x_i = sum_k weight_k v_k with v_k in X_i, u_k = K v_k
 *
 * Products of curvature: <v, H w> = sum_j h_j (K v)_j (K w)_j over losses, h = phi'' at the point,
 * and weight <v, Q w> of a quadratic form. They are kept as long as h is the same. */
#include "composite/atoms.h"

#include "core/carve.h"

static void carve(void *self, crs_carver *v)
{
    crs_atoms *a = self;
    a->atom = carve_bytes(v, a->most, sizeof(crs_atom *));
    a->weight = carve_doubles(v, a->most, 1);
    a->gram = carve_doubles(v, a->most, a->most);
    a->point = carve_doubles(v, crs_block_size(a->c, a->block), 1);
    a->bent = carve_doubles(v, a->c->rows, 1);
    a->whole = carve_doubles(v, a->c->n, 1);
}

/* v->u = K v: by columns where there are columns */
static void multiply(const crs_atoms *a, crs_atom *v)
{
    bool columns = true;
    for (int t = 0; t < a->c->terms; t++)
        for (int k = 0; k < a->c->term[t].parts; k++)
            columns = columns && crs_has_columns(a->c->term[t].part[k].matrix);
    fill(a->c->rows, 0, v->u);
    if (columns) {
        crs_add_columns(a->c, 1, v->count, v->index, v->value, v->u);
        return;
    }
    fill(a->c->n, 0, a->whole);
    crs_atom_spread(v, 1, a->whole);
    crs_products(a->c, a->whole, v->u);
}

static crs_atom *atom_new(const crs_atoms *all, const double *v)
{
    const crs_composite *c = all->c;
    const ptrdiff_t n = crs_block_size(c, all->block), first = c->at[all->block];
    ptrdiff_t count = 0;
    for (ptrdiff_t j = 0; j < n; j++) count += v[j] != 0;
    const size_t numbers = (size_t)(count + c->rows);
    crs_atom *a =
        crs_alloc(1, sizeof *a + numbers * sizeof(double) + (size_t)count * sizeof(ptrdiff_t));
    if (!a) return NULL;
    a->value = (double *)(void *)(a + 1);
    a->u = a->value + count;
    a->index = (ptrdiff_t *)(void *)(a->u + c->rows);
    for (ptrdiff_t j = 0; j < n; j++)
        if (v[j] != 0) a->index[a->count] = first + j, a->value[a->count++] = v[j];
    multiply(all, a);
    return a;
}

bool crs_atoms_open(crs_atoms *a, const crs_composite *c, int block, int most, const double *x)
{
    *a = (crs_atoms){ .c = c, .block = block, .most = most };
    a->memory = carve_block(carve, a);
    if (!a->memory) return false;
    a->atom[0] = atom_new(a, x + c->at[block]);
    a->weight[0] = 1;
    a->count = a->atom[0] ? 1 : 0;
    return a->atom[0];
}

void crs_atoms_close(crs_atoms *a)
{
    for (int k = 0; k < a->count; k++) crs_free(a->atom[k]);
    crs_free(a->memory);
    *a = (crs_atoms){ 0 };
}

void crs_atom_spread(const crs_atom *v, double t, double *d)
{
    for (ptrdiff_t k = 0; k < v->count; k++) d[v->index[k]] += t * v->value[k];
}

double crs_atom_dot(const crs_atom *v, const double *g)
{
    double sum = 0;
    for (ptrdiff_t k = 0; k < v->count; k++) sum += v->value[k] * g[v->index[k]];
    return sum;
}

void crs_atoms_point(const crs_atoms *a, double *x)
{
    fill(crs_block_size(a->c, a->block), 0, x + a->c->at[a->block]);
    for (int k = 0; k < a->count; k++) crs_atom_spread(a->atom[k], a->weight[k], x);
}

/* The last one takes its place. */
static void drop(crs_atoms *a, int k)
{
    const int last = --a->count, m = a->most;
    crs_free(a->atom[k]);
    a->atom[k] = a->atom[last];
    a->weight[k] = a->weight[last];
    if (k >= a->known) return;
    if (a->known <= last) {
        a->known = k; /* its products are not known */
        return;
    }
    for (int j = 0; j < last; j++) a->gram[k * m + j] = a->gram[last * m + j];
    a->gram[k * m + k] = a->gram[last * m + last];
    for (int j = 0; j < last; j++) a->gram[j * m + k] = a->gram[k * m + j];
    a->known = last;
}

void crs_atoms_prune(crs_atoms *a)
{
    double sum = 0;
    for (int k = a->count; k-- > 0;)
        if (!(a->weight[k] > 0) && a->count > 1) drop(a, k);
    for (int k = 0; k < a->count; k++) sum += a->weight[k];
    for (int k = 0; k < a->count; k++) a->weight[k] /= sum;
}

/* The two lightest by the point between them. */
static bool merge(crs_atoms *a)
{
    const ptrdiff_t first = a->c->at[a->block], n = crs_block_size(a->c, a->block);
    int pair[2] = { 0, 1 };
    if (a->weight[1] < a->weight[0]) pair[0] = 1, pair[1] = 0;
    for (int k = 2; k < a->count; k++) {
        if (a->weight[k] < a->weight[pair[0]])
            pair[1] = pair[0], pair[0] = k;
        else if (a->weight[k] < a->weight[pair[1]])
            pair[1] = k;
    }
    const double both = a->weight[pair[0]] + a->weight[pair[1]];
    fill(n, 0, a->point);
    for (int k = 0; k < 2; k++) {
        const crs_atom *v = a->atom[pair[k]];
        const double share = both > 0 ? a->weight[pair[k]] / both : 0.5;
        for (ptrdiff_t j = 0; j < v->count; j++)
            a->point[v->index[j] - first] += share * v->value[j];
    }
    crs_atom *joined = atom_new(a, a->point);
    if (!joined) return false;
    drop(a, pair[0] > pair[1] ? pair[0] : pair[1]);
    drop(a, pair[0] > pair[1] ? pair[1] : pair[0]);
    a->weight[a->count] = both;
    a->atom[a->count++] = joined;
    return true;
}

static bool is_same(const crs_atom *v, const crs_atom *w)
{
    if (v->count != w->count) return false;
    for (ptrdiff_t k = 0; k < v->count; k++)
        if (v->index[k] != w->index[k] || v->value[k] != w->value[k]) return false;
    return true;
}

int crs_atoms_add(crs_atoms *a, const double *v, double share)
{
    crs_atom *new = atom_new(a, v);
    if (!new) return -1;
    int k = 0;
    while (k < a->count && !is_same(a->atom[k], new)) k++;
    const bool known = k < a->count;
    if (known || (a->count == a->most && !merge(a))) {
        crs_free(new);
        if (!known) return -1;
    }
    for (int j = 0; j < a->count; j++) a->weight[j] *= 1 - share;
    if (!known) {
        k = a->count++;
        a->atom[k] = new;
        a->weight[k] = 0;
    }
    a->weight[k] += share;
    return k;
}

/* weight <v, Q w> of the quadratic forms */
static double forms(const crs_composite *c, const crs_atom *v, const crs_atom *w)
{
    double sum = 0;
    for (int t = 0; t < c->terms; t++)
        if (!c->term[t].loss) sum += c->term[t].weight * crs_atom_dot(v, w->u + c->term[t].at);
    return sum;
}

void crs_atoms_bend(crs_atoms *a, const double *h, bool anew)
{
    const crs_composite *c = a->c;
    if (anew) a->known = 0;
    for (; a->known < a->count; a->known++) {
        const int k = a->known;
        for (ptrdiff_t j = 0; j < c->rows; j++) a->bent[j] = h[j] * a->atom[k]->u[j];
        for (int l = 0; l <= k; l++) {
            double sum = forms(c, a->atom[k], a->atom[l]);
            for (ptrdiff_t j = 0; j < c->rows; j++) sum += a->bent[j] * a->atom[l]->u[j];
            a->gram[k * a->most + l] = a->gram[l * a->most + k] = sum;
        }
        c->work->entries += (double)(k + 1) * (double)c->rows;
    }
}
