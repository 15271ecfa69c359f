/* SPDX-License-Identifier: MIT
 * pack: an array and its parts in few bytes. The low-rank part is its factors, or 16 bits an entry;
 * the sparse part gaps between its entries and values of 16 bits, bent by sinh; the residual 8 bits
 * an entry in steps of 1/16 deviation, or 4 bits in steps of 1/2. Beyond the budget every second
 * slice is left out, then every second pixel, and so on. */
#include "report/report.h"

static const double bend = 8;

/* What is kept: every step-th index of each axis. */
typedef struct {
    const crs_pack *k;
    crs_packed kept;
    crease_space shape; /* of what is kept */
    ptrdiff_t stride[CREASE_MAX_ORDER], size;
    int bits;
    double scale, step; /* of the sparse part and of the residual */
} plan;

static void settle(plan *p)
{
    const crease_space *s = &p->k->shape;
    ptrdiff_t stride = 1;
    p->shape = *s;
    p->size = 1;
    for (int n = s->order - 1; n >= 0; n--) {
        p->stride[n] = stride;
        stride *= s->dim[n];
        p->shape.dim[n] = (s->dim[n] - 1) / p->kept.step[n] + 1;
        p->size *= p->shape.dim[n];
    }
}

/* The place in the whole array of entry j of what is kept. */
static ptrdiff_t place(const plan *p, ptrdiff_t j)
{
    ptrdiff_t k = 0;
    for (int n = p->shape.order - 1; n >= 0; n--) {
        k += j % p->shape.dim[n] * p->kept.step[n] * p->stride[n];
        j /= p->shape.dim[n];
    }
    return k;
}

/* The axes of a mode: from the first to before *end. */
static int axes_of(const crs_pack *k, int mode, int *end)
{
    int first = 0;
    *end = 0;
    for (int m = 0; m <= mode; m++) {
        ptrdiff_t length = 1;
        first = *end;
        while (*end < k->shape.order && (length < k->grid.dim[m] || *end == first))
            length *= k->shape.dim[(*end)++];
        if (m == k->grid.order - 1) *end = k->shape.order;
    }
    return first;
}

static ptrdiff_t rows_of(const plan *p, int mode)
{
    int end;
    ptrdiff_t rows = 1;
    for (int n = axes_of(p->k, mode, &end); n < end; n++) rows *= p->shape.dim[n];
    return rows;
}

static bool has_residual(const plan *p) { return p->bits > 0; }

static double bytes_of(const plan *p)
{
    double bytes = has_residual(p) ? (double)p->size * p->bits / 8 : 0;
    for (int m = 0; m < p->k->factors; m++)
        bytes += 4 * (double)rows_of(p, m) * (double)p->k->ranks.dim[m];
    if (p->k->factors == 0) bytes += 2 * (double)p->size;
    if (p->k->core) bytes += 4 * (double)crease_size(&p->k->ranks);
    for (ptrdiff_t j = 0; j < p->size; j++) bytes += p->k->sparse[place(p, j)] != 0 ? 3 : 0;
    bytes += (double)p->size / 255;
    return bytes * 4 / 3;
}

/* Twice the step of the slices, or of all other axes; false: they are short already. */
static bool leave_out(plan *p, bool slices)
{
    bool some = false;
    for (int n = 0; n < p->shape.order; n++)
        if ((n == p->k->along && p->shape.order > 2) == slices &&
            p->shape.dim[n] > (slices ? 8 : 24)) {
            p->kept.step[n] *= 2;
            some = true;
        }
    settle(p);
    return some;
}

static void fit_budget(plan *p)
{
    const double most = (double)p->k->most;
    for (int n = 0; n < p->k->shape.order; n++) p->kept.step[n] = 1;
    settle(p);
    if (p->bits == 8 && bytes_of(p) > most) p->bits = 4;
    for (int round = 0; bytes_of(p) > most && round < 80; round++)
        if (!leave_out(p, round % 2 == 0) && !leave_out(p, round % 2 != 0)) break;
}

static bool no_memory(crease_error *e)
{
    return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the pictures of the page");
}

static void put_floats(crs_markup *m, ptrdiff_t n, const float *x)
{
    unsigned char bytes[3 * 1024];
    size_t used = 0;
    crs_mark(m, "\"");
    for (ptrdiff_t k = 0; k < n; k++) {
        uint32_t word;
        memcpy(&word, &x[k], 4);
        for (int b = 0; b < 4; b++) bytes[used++] = (unsigned char)(word >> 8 * b);
        if (used == sizeof bytes || k + 1 == n) crs_mark_base64(m, bytes, used), used = 0;
    }
    crs_mark(m, "\"");
}

/* The rows of a factor that are kept. */
static bool put_factor(crs_markup *m, const plan *p, int mode, crease_error *e)
{
    const ptrdiff_t rows = rows_of(p, mode), rank = p->k->ranks.dim[mode];
    float *x = crs_alloc((size_t)(rows * rank), sizeof *x);
    int end;
    if (!x) return no_memory(e);
    const int first = axes_of(p->k, mode, &end);
    for (ptrdiff_t i = 0; i < rows; i++) {
        ptrdiff_t rest = i, row = 0, stride = 1;
        for (int n = end - 1; n >= first; n--) {
            row += rest % p->shape.dim[n] * p->kept.step[n] * stride;
            rest /= p->shape.dim[n];
            stride *= p->k->shape.dim[n];
        }
        for (ptrdiff_t r = 0; r < rank; r++)
            x[i * rank + r] = (float)p->k->factor[mode][row * rank + r];
    }
    put_floats(m, rows * rank, x);
    crs_free(x);
    return true;
}

static bool put_core(crs_markup *m, const plan *p, crease_error *e)
{
    const ptrdiff_t n = crease_size(&p->k->ranks);
    float *x = crs_alloc((size_t)n, sizeof *x);
    if (!x) return no_memory(e);
    for (ptrdiff_t k = 0; k < n; k++) x[k] = (float)p->k->core[k];
    crs_mark(m, ",\"core\":");
    put_floats(m, n, x);
    crs_free(x);
    return true;
}

static bool put_factors(crs_markup *m, const plan *p, crease_error *e)
{
    const crs_pack *k = p->k;
    crs_mark(m, ",\"modes\":[");
    for (int n = 0; n < k->factors; n++) {
        int end;
        const int first = axes_of(k, n, &end);
        for (int a = first; a < end; a++) crs_mark(m, "%s%d", a > first ? "," : n ? ",[" : "[", a);
        crs_mark(m, "]");
    }
    crs_mark(m, "],\"ranks\":[");
    for (int n = 0; n < k->factors; n++) crs_mark(m, "%s%td", n ? "," : "", k->ranks.dim[n]);
    crs_mark(m, "],\"factors\":[");
    for (int n = 0; n < k->factors; n++) {
        if (n) crs_mark(m, ",");
        if (!put_factor(m, p, n, e)) return false;
    }
    crs_mark(m, "]");
    return !k->core || put_core(m, p, e);
}

static void put_short(unsigned char *at, double x)
{
    const unsigned code = (unsigned)clip(round(x), 0, 65535);
    at[0] = (unsigned char)(code & 255);
    at[1] = (unsigned char)(code >> 8);
}

/* base + unit * (0 .. 65535) */
static bool put_dense(crs_markup *m, const plan *p, crease_error *e)
{
    const double *x = p->k->lowrank;
    double low = INFINITY, high = -INFINITY;
    unsigned char *out = crs_alloc((size_t)p->size, 2);
    if (!out) return no_memory(e);
    for (ptrdiff_t j = 0; j < p->size; j++) {
        const double v = x[place(p, j)];
        low = smaller(low, v);
        high = larger(high, v);
    }
    const double unit = high > low ? (high - low) / 65535 : 1;
    for (ptrdiff_t j = 0; j < p->size; j++) put_short(out + 2 * j, (x[place(p, j)] - low) / unit);
    crs_mark(m, ",\"base\":%.9g,\"unit\":%.9g,\"dense\":\"", low, unit);
    crs_mark_base64(m, out, 2 * (size_t)p->size);
    crs_mark(m, "\"");
    crs_free(out);
    return true;
}

/* 65535 codes, 32768 is 0; what is too small for one is left out. */
static double code_of(const plan *p, double v)
{
    return p->scale > 0 ? round(asinh(v / p->scale) / bend * 32767) + 32768 : 32768;
}

static bool put_sparse(crs_markup *m, const plan *p, crease_error *e)
{
    ptrdiff_t count = 0, gaps = 0, before = -1;
    for (ptrdiff_t j = 0; j < p->size; j++) count += p->k->sparse[place(p, j)] != 0;
    unsigned char *gap = crs_alloc((size_t)(count + p->size / 255 + 1), 1),
                  *value = crs_alloc((size_t)count + 1, 2);
    if (!gap || !value) {
        crs_free(gap);
        crs_free(value);
        return no_memory(e);
    }
    count = 0;
    for (ptrdiff_t j = 0; j < p->size; j++) {
        const double code = code_of(p, p->k->sparse[place(p, j)]);
        if (code == 32768) continue;
        for (; j - before >= 255; before += 255) gap[gaps++] = 255;
        gap[gaps++] = (unsigned char)(j - before);
        before = j;
        put_short(value + 2 * count++, code);
    }
    crs_mark(m, ",\"scale\":%.9g,\"bend\":%g,\"gaps\":\"", p->scale, bend);
    crs_mark_base64(m, gap, (size_t)gaps);
    crs_mark(m, "\",\"values\":\"");
    crs_mark_base64(m, value, 2 * (size_t)count);
    crs_mark(m, "\"");
    crs_free(gap);
    crs_free(value);
    return true;
}

/* Codes around the middle, 7 of 0..14 or 127 of 0..254; the last one: not observed. */
static bool put_residual(crs_markup *m, const plan *p, crease_error *e)
{
    const int middle = p->bits == 8 ? 127 : 7, unseen = p->bits == 8 ? 255 : 15;
    unsigned char *out = crs_alloc((size_t)p->size / (p->bits == 8 ? 1 : 2) + 1, 1);
    if (!out) return no_memory(e);
    for (ptrdiff_t j = 0; j < p->size; j++) {
        const ptrdiff_t k = place(p, j);
        const double q = clip(round(p->k->residual[k] / p->step), -middle, middle) + middle;
        const unsigned code = p->k->unseen && p->k->unseen[k] ? (unsigned)unseen : (unsigned)q;
        if (p->bits == 8)
            out[j] = (unsigned char)code;
        else
            out[j / 2] = (unsigned char)(out[j / 2] | code << (j % 2 ? 4 : 0));
    }
    crs_mark(m, ",\"bits\":%d,\"step\":%.9g,\"residual\":\"", p->bits, p->step);
    crs_mark_base64(m, out, ((size_t)p->size * (size_t)p->bits + 7) / 8);
    crs_mark(m, "\"");
    crs_free(out);
    return true;
}

bool crs_pack_put(crs_markup *m, const crs_pack *k, crs_packed *out, crease_error *e)
{
    const ptrdiff_t size = crease_size(&k->shape);
    double most = 0, left = 0;
    for (ptrdiff_t j = 0; j < size; j++) {
        most = larger(most, fabs(k->sparse[j]));
        left = larger(left, fabs(k->residual[j]));
    }
    plan p = { .k = k, .bits = left > 0 || k->unseen ? 8 : 0, .scale = most / sinh(bend) };
    fit_budget(&p);
    p.step = k->deviation > 0 ? k->deviation / (p.bits == 8 ? 16 : 2)
             : left > 0       ? left / (p.bits == 8 ? 127 : 7)
                              : 1;
    crs_mark(m, "\"dim\":[");
    for (int n = 0; n < p.shape.order; n++) crs_mark(m, "%s%td", n ? "," : "", p.shape.dim[n]);
    crs_mark(m, "],\"steps\":[");
    for (int n = 0; n < p.shape.order; n++) crs_mark(m, "%s%td", n ? "," : "", p.kept.step[n]);
    crs_mark(m, "]");
    *out = p.kept;
    out->step_of_residual = p.step;
    return (k->factors ? put_factors(m, &p, e) : put_dense(m, &p, e)) && put_sparse(m, &p, e) &&
           (!has_residual(&p) || put_residual(m, &p, e));
}
