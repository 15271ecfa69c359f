/* SPDX-License-Identifier: MIT
 * core.h: what every part of the library stands on */
#ifndef CRS_CORE_H
#define CRS_CORE_H

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include <crease/catalogue.h>
#include <crease/error.h>
#include <crease/options.h>
#include <crease/param.h>
#include <crease/space.h>
#include <crease/watch.h>

/* The only calls of malloc and free in the library (core/alloc.c). A test that links its own
 * versions of these three makes the k-th allocation fail. */
void *crs_alloc(size_t count, size_t size); /* zeroed; NULL when out of memory or too large */
void *crs_resize(void *p, size_t count, size_t size);
void crs_free(void *p);

/* count doubles, or NULL with e filled in; `what` names them in the sentence. */
double *crs_doubles(ptrdiff_t count, const char *what, crease_error *e);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool crs_fail(crease_error *e, crease_code code, const char *format, ...); /* always false */

/* Does merging neighbouring modes make the one shape of the other? */
bool crs_space_refines(const crease_space *fine, const crease_space *coarse);
bool crs_mul_size(ptrdiff_t a, ptrdiff_t b, ptrdiff_t *product); /* false on overflow; a, b >= 0 */
bool crs_add_size(ptrdiff_t a, ptrdiff_t b, ptrdiff_t *sum);

/* Over the ranks that share s: v[0..n) becomes its sum; the entries of all parts. c NULL: this
 * process alone. together: did every rank come here with true? One that did not has its own
 * sentence in e, the others get one. */
void crs_sum_over(const crease_space *s, ptrdiff_t n, double *v);
double crs_whole_size(const crease_space *s);
bool crs_together(const crease_comm *c, bool here, crease_error *e);

/* The index of the name closest to `wanted` by edit distance, or -1 when nothing is near.
 * name_at(k) for 0 <= k < count. */
int crs_nearest(const char *wanted, int count, const char *(*name_at)(int k));
int crs_nearest_in(const char *wanted, int count, const char *const *name);

/* Index of an exact match, or -1 with "unknown <kind> ...; did you mean ...?" in e. */
int crs_find(const char *kind, const char *wanted, int count, const char *(*name_at)(int k),
             crease_error *e);

/* Settings that may grow (options.c). give: the library's own to a struct of `size` bytes. take:
 * the caller's over the defaults in `own`; NULL: those alone. `name` as in crease_NAME_default. */
void crs_settings_give(void *to, size_t size, const void *own, size_t own_size);
bool crs_settings_take(const char *name, void *own, size_t own_size, const void *given,
                       crease_error *e);
bool crs_options_take(const crease_options *given, crease_options *own, crease_error *e);

/* Does the number of parameters fit the entry? A vector parameter takes any further ones. */
bool crs_spec_fits(const crease_spec *spec, const crease_param *params, const char *vector,
                   crease_error *e);

/* A whole string as one number, independent of the locale ("1e-3", "0x1p-3", "inf", "nan"). */
bool crs_parse_double(const char *text, double *value);

/* NaN goes through these; fmax and fmin would swallow it. */
static inline double pos(double t) { return t <= 0 ? 0 : t; }
static inline double larger(double a, double b) { return a >= b ? a : b != b ? b : a != a ? a : b; }
static inline double smaller(double a, double b) { return -larger(-a, -b); }
/* a b with 0 inf = 0: a weight of zero switches off even what is unbounded. */
static inline double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

static inline double square(double t) { return t * t; }
static inline double clip(double t, double low, double high)
{
    return t < low ? low : t > high ? high : t;
}

/* y += a x */
static inline void axpy(ptrdiff_t n, double a, const double *x, double *y)
{
    for (ptrdiff_t j = 0; j < n; j++) y[j] += a * x[j];
}

static inline void fill(ptrdiff_t n, double a, double *x)
{
    for (ptrdiff_t j = 0; j < n; j++) x[j] = a;
}

static inline void copy(ptrdiff_t n, const double *x, double *y)
{
    if (x != y) memmove(y, x, (size_t)n * sizeof *y);
}

/* Sums of n terms in an order that depends on n alone, with pairwise error growth. */
double crs_dot(ptrdiff_t n, const double *x, const double *y);
double crs_norm(ptrdiff_t n, const double *x); /* no overflow or underflow of the squares */
bool crs_all_finite(ptrdiff_t n, const double *x);

/* Seconds since some moment (system.c). */
double crs_now(void);
/* Bytes that this process may still take; INFINITY: not known. */
double crs_memory_free(void);

/* Inside of a watch (watch.c). A handle has one of its own, in the caller's (NULL: none): its limit
 * is max_seconds, and its reserve what the last certificate took.
 *
 * How a loop asks. Between two pieces of work of about a millisecond (a tile, a slab, a sweep,
 * never an entry), in every worker of a parallel loop as well: for (at = 0; at < rows &&
 * !crease_watch_over(w); at += tile) ... Whoever called a loop that may have been cut asks once
 * more before it uses the sums: if it is over, they are thrown away and the point from before
 * stands. A call that has nothing to show yet fails by `return crs_cut(e, "what was cut")`; the
 * caller that has, returns true with that. Phases are entered around the part of a call that they
 * name, and left: const crease_phase was = crease_watch_enter(w, CREASE_PHASE_RANK);
 *     ...
 *     crease_watch_enter(w, was);
 * w may be NULL in all of it.
 *
 * What a loop tells goes to the outermost watch, under its present phase, and from there to looks
 * and history: after an iteration, crs_watch_tell; where the end is in sight, crs_watch_part; where
 * in words, crs_watch_say. Each costs less than a microsecond; on other threads than that of the
 * look they do nothing. */
typedef struct crs_course crs_course;
struct crease_watch {
    crease_watch *outer; /* NULL: none */
    atomic_llong asked;  /* nanoseconds of crs_now(); 0: no stop was asked for */
    double begun, until, reserve;
    int value, data;    /* what is told inside is to be multiplied by 2^these: see crs_rescale */
    crease_phase phase; /* this and the rest are the outermost one's */
    double since, seconds[CREASE_PHASE_COUNT];
    struct crease_checkpoint *checkpoint; /* NULL: none */
    crs_course *course;                   /* NULL: nobody looks, and nothing is kept */
};
void crs_watch_begin(crease_watch *w, crease_watch *outer);
void crs_watch_restart(crease_watch *w);         /* its limit counts from now */
bool crs_cut(crease_error *e, const char *what); /* always false */
/* The outermost watch's checkpoint; NULL: none (checkpoint.h). */
struct crease_checkpoint *crs_watch_checkpoint(const crease_watch *w);

void crs_watch_tell(crease_watch *w, const crease_progress *now);
void crs_watch_aim(crease_watch *w, double eps, bool relative); /* what the residual is to reach */
void crs_watch_part(const crease_watch *w, double done, double of); /* of the phase */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void crs_watch_say(crease_watch *w, const char *format, ...); /* at most 79 bytes */

/* The objective times 2^value, feasibility times 2^data, and the rest as follows from these. */
crease_progress crs_rescale(const crease_progress *now, int value, int data);

/* The k-th smallest of n numbers, k from 0, and their (upper) median; both reorder x. */
double crs_select(ptrdiff_t n, double *x, ptrdiff_t k);
double crs_median(ptrdiff_t n, double *x); /* NaN for n = 0 */

/* How large numbers are (units.c): the binary exponents of the largest finite one and of the median
 * of those that are not 0, |x| < 2^k <= 2|x|; at: where the largest is, -1: there is none. Entries
 * whose mask is 0 do not count; mask may be NULL. */
typedef struct {
    ptrdiff_t at;
    int most, middle;
} crs_extent;
enum { CRS_ORDINARY = 10, CRS_LARGEST_POWER = 480 };
crs_extent crs_extent_of(ptrdiff_t n, const double *x, const double *mask);

/* The same of data that come part after part; begins with zeros. */
enum { CRS_EXPONENTS = 2099 };
typedef struct {
    ptrdiff_t seen, at, count[CRS_EXPONENTS];
    double most; /* the entry at `at` */
} crs_tally;
void crs_tally_add(crs_tally *t, ptrdiff_t n, const double *x);
crs_extent crs_tally_extent(const crs_tally *t);

/* The k for which data times 2^-k are worked on. 0 while the largest or the median is within
 * 2^-ordinary .. 2^ordinary (ordinary >= CRS_ORDINARY), else the nearer to 0 of the two. */
int crs_extent_unit(const crs_extent *a, int ordinary);

/* Are sums of squares of such numbers normal ones? False with a sentence: `what` is the entry at
 * a->at, `data` are to be divided or multiplied. */
bool crs_extent_fits(const crs_extent *a, const char *what, const char *data, double value,
                     crease_error *e);

/* y = 2^k x, |k| <= 1022; y may be x. */
void crs_times_power(ptrdiff_t n, int k, const double *x, double *y);

/* x = v scaled into |x|_2 <= radius, the norm over all ranks of s, or of n entries held here. */
void crs_scale_into_ball(const crease_space *s, double radius, const double *v, double *x);
void crs_into_ball(ptrdiff_t n, double radius, const double *v, double *x);

#endif
