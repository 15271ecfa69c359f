/* SPDX-License-Identifier: MIT
 * cp_plain.inc: a vector of one real */

enum { LANES = 1 };
typedef real vec;
static inline vec load(const real *x) { return *x; }
static inline void store(real *x, vec a) { *x = a; }
static inline vec all(double a) { return (real)a; }
static inline vec fused(vec a, vec b, vec c) { return a * b + c; }
static inline vec load_part(const real *x, int n) { return (void)n, *x; }
static inline void store_part(real *x, int n, vec a) { (void)n, *x = a; }
static inline vec select(vec w, vec a, vec b) { return w == 0 ? a : b; }
static inline vec between(vec a, vec most) { return a < -most ? -most : a > most ? most : a; }
static inline vec lesser(vec most, vec a) { return a > most ? most : a; }
static inline vec greater(vec least, vec a) { return a < least ? least : a; }
static inline vec magnitude(vec a) { return a < 0 ? -a : a; }
static inline vec outside(vec a, vec most) { return !(a <= most && -a <= most); }
static inline vec either(vec a, vec b) { return a != 0 || b != 0; }
static inline bool some(vec a) { return a != 0; }
static inline unsigned nonzero(vec a) { return a != 0; }
static inline double total(vec a) { return a; }
static inline void add_to(double *w, vec a) { *w += a; }
static inline void add_totals(const real *x, ptrdiff_t stride, double *y)
{
    for (int k = 0; k < 4; k++) y[k] += x[k * stride];
}
