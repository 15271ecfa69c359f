/* SPDX-License-Identifier: MIT
 * read: an answer row by row, from its factors and the slab of the data that the rows are in
 *
 * With M and E of an entry and s = W o (T - E - M): Z = M + c s, B = s/(1 + alpha_N), noise s. */
#include "core/parallel.h"
#include "rpca/observed/entries.h"

void crs_cp_release(crs_source *s, crs_cp_held *held)
{
    if (held->taken) s->ops->give(s, &held->slab);
    held->taken = false;
}

/* m and e become the part */
static void part_of(const crs_cp_point *p, crease_rpca_part part, ptrdiff_t at, ptrdiff_t n,
                    const double *m, const double *e, double *out)
{
    const double c = noise_share(p), share = 1 / (1 + p->alpha_noise);
    for (ptrdiff_t j = 0; j < n; j++) {
        const double s = rest_at(p, at + j, m[j], e[j]);
        out[j] = part == CREASE_RPCA_LOWRANK  ? m[j]
                 : part == CREASE_RPCA_SPARSE ? e[j]
                 : part == CREASE_RPCA_Z      ? m[j] + c * s
                 : part == CREASE_RPCA_B      ? share * s
                                              : s;
    }
}

/* Rows of a part within a slab */
typedef struct {
    const crs_cp_answer *a;
    crs_cp_point point; /* as seen in the slab */
    crease_rpca_part part;
    ptrdiff_t first, count; /* of the slab's */
    double *out;
} reading;

/* A few rows of the part */
static void read_rows(void *self, ptrdiff_t task, int worker)
{
    const reading *r = self;
    const crs_cp_point *p = &r->point;
    const ptrdiff_t right = p->grid.right, rows = p->grid.rows, at = r->first + task * rows;
    const ptrdiff_t now = fewer(rows, r->first + r->count - at), n = now * right, j = at * right;
    double *m = r->a->room->workers + worker * r->a->room->worker, *e = m + rows * right;
    double *out = r->out + task * rows * right;
    if (r->part == CREASE_RPCA_DATA) {
        copy(n, p->t + j, out);
    } else if (r->part == CREASE_RPCA_SEEN) {
        for (ptrdiff_t k = 0; k < n; k++) out[k] = !p->w || p->w[j + k];
    } else {
        crs_cp_panel(p, r->a->room, at, now, e + rows * right, m, e);
        part_of(p, r->part, j, n, m, e, out);
    }
}

/* The slab with this entry is taken. */
static bool hold(const crs_cp_answer *a, ptrdiff_t entry)
{
    crs_source *s = a->point->source;
    crs_cp_held *h = a->held;
    const ptrdiff_t slab = crs_slab_with(&s->cut, entry);
    if (h->taken && h->slab.index == slab) return true;
    crs_cp_release(s, h);
    if (h->failure.code != CREASE_OK) return false;
    crease_error e = { .code = CREASE_OK };
    h->taken = s->ops->take(s, slab, &h->slab, &e);
    if (!h->taken) h->failure = e;
    return h->taken;
}

/* The engine's own E: in one piece */
static void read_whole(reading *r)
{
    const ptrdiff_t rows = r->point.grid.rows;
    r->point.t = r->point.source->whole;
    r->point.w = r->point.source->seen;
    crs_parallel_runs(r->a->room->threads, (r->count + rows - 1) / rows, read_rows, r);
}

void crs_cp_answer_read(const crs_cp_answer *a, crease_rpca_part part, ptrdiff_t first,
                        ptrdiff_t count, double *out)
{
    const ptrdiff_t right = a->point->grid.right, rows = a->point->grid.rows;
    reading r = { .a = a, .point = *a->point, .part = part, .first = first };
    r.count = count;
    r.out = out;
    if (crs_is_listed(r.point.source)) {
        const crs_listed_rows_of entries = { part, first * right, count * right };
        crs_listed_read(&r.point, &entries, out);
        return;
    }
    if (r.point.sparse) {
        read_whole(&r);
        return;
    }
    for (ptrdiff_t left = count; left > 0; left -= r.count, r.out += r.count * right) {
        const ptrdiff_t at = first + count - left;
        if (!hold(a, at * right)) {
            fill(left * right, NAN, r.out);
            return;
        }
        const crs_slab *slab = &a->held->slab;
        r.point = crs_cp_point_in(a->point, slab);
        r.point.grid = a->point->grid;
        r.first = at - slab->first / right;
        r.count = fewer(left, crease_size(&slab->shape) / right - r.first);
        crs_parallel_runs(a->room->threads, (r.count + rows - 1) / rows, read_rows, &r);
    }
}
