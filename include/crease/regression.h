/* SPDX-License-Identifier: MIT
 * regression.h: sparse regression and classification along a path of lambdas
 *
 *     min  (c^2/n) sum_i phi(u_i / c) + sum_g w_g rho_lambda(|b_g|),   u = b_0 + Z b - y
 *
 * Z is X, its columns centred when there is an intercept and divided by their root mean square when
 * standardized; a group g is one column unless the penalty has groups. phi is u^2/2, the Huber or
 * the Cauchy loss with scale c, or log(1 + exp(-y_i (b_0 + Z b)_i)) for labels y_i = -1, +1, c = 1.
 * Coefficients are reported for X itself. */
#ifndef CREASE_REGRESSION_H
#define CREASE_REGRESSION_H

#include <stdint.h>

#include <crease/certificate.h>
#include <crease/options.h>
#include <crease/source.h>
#include <crease/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Name, text, meaning, the loss of smooth.h, and, where it has a scale c, the multiple of the
 * spread of y that is 95 % efficient for normal errors (Holland and Welsch 1977), else 0. */
#define CREASE_REGRESSION_LOSSES(X)                                                                \
    X(SQUARED, "squared", "u^2/2", least_squares, 0)                                               \
    X(LOGISTIC, "logistic", "log(1 + exp(-y s)), two classes", logistic, 0)                        \
    X(HUBER, "huber", "u^2/2 up to |u| = c, then linear", huber_loss, 1.345)                       \
    X(CAUCHY, "cauchy", "(c^2/2) log(1 + (u/c)^2)", cauchy, 2.385)

typedef enum {
#define CREASE_ENTRY_(name, text, meaning, loss, scale) CREASE_REGRESSION_##name,
    CREASE_REGRESSION_LOSSES(CREASE_ENTRY_)
#undef CREASE_ENTRY_
} crease_regression_loss;

/* May grow: options.h tells how. */
typedef struct {
    size_t size;
    crease_reg penalty; /* at lambda = 1, separable or with groups; ops NULL: l1. lambda multiplies
                           its first parameter, both of the elastic net. Its weights w are borrowed;
                           without them: 1, or the root of a group's size */
    crease_regression_loss loss;
    double loss_scale; /* c of a loss that has one; 0: its multiple of the spread of y */
    bool standardize, intercept;
    const double *row_weight; /* v, n numbers >= 0: the mean over the rows, those of the columns,
                                 and the spread of y weigh row i by v_i/sum v: 0 leaves it out,
                                 2 counts it twice. NULL: 1. Read only while building, and then
                                 the mean of v is 1 */
    ptrdiff_t path;           /* how many lambdas */
    double ratio;             /* the last over the first; 0: 0.05 if n < p, else 0.001 */
    const double *lambda; /* `path` numbers > 0, descending; NULL: logarithmic from lambda_max on.
                             Read only while building */
    bool ascending;       /* solve from the smallest lambda to the largest */
    double eps;           /* relative tolerance of the certificates */
    long max_sweeps;      /* for each lambda */
    double max_seconds;   /* >= 0, for the path and its cross-validation together */
    crease_watch *watch;  /* NULL: none. What max_seconds says holds beside it */
    int threads;          /* of cross-validation; 0: all there are, and as many folds at once as
                             memory has room for. The answer is the same for any number */
} crease_regression_settings;

/* l1, squared loss, standardized with an intercept, 100 lambdas, eps 1e-6, no time limit. */
CREASE_API void crease_regression_init(crease_regression_settings *s, size_t size);
static inline crease_regression_settings crease_regression_default(void)
{
    crease_regression_settings s;
    crease_regression_init(&s, sizeof s);
    return s;
}

typedef struct crease_regression crease_regression;

/* Copies what it needs of X (n x p, row-major) and y (n). The labels of logistic regression may be
 * -1 and 1 or 0 and 1. Refused are entries beyond 1e140, and y, and X unless standardized, whose
 * entries are all below 1e-140. NULL with a sentence on failure; an entry that is not finite is
 * named by its place, counted from 1. */
CREASE_API crease_regression *crease_regression_new(const crease_regression_settings *s,
                                                    ptrdiff_t n, ptrdiff_t p, const double *X,
                                                    const double *y, crease_error *e);
/* The same of an X in sparse rows, the columns of each ascending, which is not filled in. */
CREASE_API crease_regression *crease_regression_new_sparse(const crease_regression_settings *s,
                                                           const crease_csr_matrix *X,
                                                           const double *y, crease_error *e);
CREASE_API void crease_regression_free(crease_regression *m);

/* What the columns of a source are: p of X, y, and where they are there the weight of the row and
 * its fold, 0, 1, .. or -1, never left out. Without folds of their own rows are dealt to `folds`
 * of them by the seed, each by itself; 0: none. May grow: options.h tells how. */
typedef struct {
    size_t size;
    ptrdiff_t p;
    bool weighted, folded;
    int folds;
    uint64_t seed;
} crease_regression_rows;

/* The same of rows that are brought in slabs (source.h): X and what belongs to its rows may be
 * larger than memory. At most 2000 columns, none missing. The squared loss takes two looks at the
 * data for means and products of the columns, whatever the path and the folds, and one for all
 * certificates; other losses a few for each lambda, and as many again for each fold. The scale of a
 * robust loss is taken from at most 2^18 rows, evenly spread. The answer has the same bits for any
 * memory, threads and ranks. There are no problems of lambdas, and certify does not ask the
 * checker; row_weight stays NULL. The source must be there as long as the model. */
CREASE_API crease_regression *crease_regression_new_on(const crease_regression_settings *s,
                                                       const crease_regression_rows *columns,
                                                       crease_source *rows, crease_error *e);
/* Bytes that it takes beside the slabs; threads 0: all there are. */
CREASE_API double crease_regression_bytes_on(const crease_regression_rows *columns, ptrdiff_t path,
                                             int threads);

/* Doubles that a model takes, for forecasts. */
CREASE_API double crease_regression_size(ptrdiff_t n, ptrdiff_t p, ptrdiff_t path);

/* Columns of X that are 0 in every row that counts, or beside an intercept constant: whatever
 * lambda is, their coefficients are 0. *first, unless NULL, is the first of them, or -1. */
CREASE_API ptrdiff_t crease_regression_constant(const crease_regression *m, ptrdiff_t *first);

/* The least lambda at which zero is a minimizer in every coordinate (group) alone, and so
 * stationary, times 1 + 2^-36 for rounding; above it nothing is selected. */
CREASE_API double crease_regression_lambda_max(const crease_regression *m);

/* Solves the whole path; false when arithmetic failed. Stopped, or out of time, the path is as long
 * as it came (crease_regression_used), at least one lambda, the last of which may be unfinished. */
CREASE_API bool crease_regression_fit(crease_regression *m, crease_error *e);

/* Ends fit and cross-validation at the next sweep; may be called from a signal handler. */
CREASE_API void crease_regression_stop(crease_regression *m);
/* Did one of them end early, stopped or out of time? */
CREASE_API bool crease_regression_stopped(const crease_regression *m);

typedef struct {
    double lambda;
    double intercept;   /* 0 without one */
    const double *coef; /* p numbers, for X itself; valid as long as the model */
    ptrdiff_t nonzero;
    double objective; /* the minimum above */
    double deviance;  /* mean of 2 c^2 phi: of (y - prediction)^2 with the squared loss */
    long sweeps;
    bool converged; /* by the solver's own account; crease_regression_certify decides */
} crease_regression_solution;

/* k = 0 .. path-1 by descending lambda, after the fit. */
CREASE_API const crease_regression_solution *crease_regression_at(const crease_regression *m,
                                                                  ptrdiff_t k);
/* The settings with all that was chosen filled in; lambda and row_weight are the model's. */
CREASE_API const crease_regression_settings *crease_regression_used(const crease_regression *m);

/* n/c^2 times the problem above for lambda k as an ordinary problem with one block: b, followed by
 * b_0 unless the loss is squared (then it is eliminated, X and y being centred). The point is the
 * solution in its coordinates, one after the other for all k. Weights of rows are those of the
 * coupling, or, with the squared loss, their roots are in X and y. Valid as long as the model. */
CREASE_API const crease_problem *crease_regression_problem(const crease_regression *m, ptrdiff_t k);
CREASE_API const double *crease_regression_point(const crease_regression *m, ptrdiff_t k);

/* What can be said of the point beyond stationarity. */
#define CREASE_CONVEXITIES(X)                                                                      \
    X(UNKNOWN, "stationary; no more is proved")                                                    \
    X(LOCAL, "strict local minimizer: convex on the selected columns")                             \
    X(GLOBAL, "global minimizer: the objective is convex")                                         \
    X(CONVEX, "stationary; the objective is convex, but may be less elsewhere")

typedef enum {
#define CREASE_ENTRY_(name, text) CREASE_CONVEXITY_##name,
    CREASE_CONVEXITIES(CREASE_ENTRY_)
#undef CREASE_ENTRY_
} crease_convexity;

CREASE_API const char *crease_convexity_text(crease_convexity c);

typedef struct {
    crease_residual residual; /* dist(-grad f, dr) of the problem, from the definitions */
    double relative;          /* residual / scale */
    bool checked;             /* the independent checker was asked: */
    crease_verdict verdict;   /* for the tolerance eps * scale */
    bool certified;           /* relative <= eps, and the checker, if asked, agrees */
    crease_convexity convexity;
    double eigenvalue; /* the least of the loss's Hessian on the selected columns; NaN: not asked */
    double concavity;  /* the penalty's, largest over these columns */
    double margin;     /* > 0: every step db decreased the objective by margin/2 |db|^2 or more, as
                          the rate of proximal BCD wants; NaN: not the squared loss */
    double gap; /* the objective is at most so far above its least value; NaN: it is not convex,
                   INFINITY: no bound was found. GLOBAL: at most 100 eps of the objective */
} crease_regression_certificate;

/* check: also ask the checker, whose extended precision takes some fifty times as long. */
CREASE_API bool crease_regression_certify(const crease_regression *m, ptrdiff_t k, bool check,
                                          crease_regression_certificate *out, crease_error *e);

/* What is claimed of a path, for the checker to judge from X, y and the reported numbers alone. */
typedef struct {
    ptrdiff_t n, p;
    const double *X, *y;
    const double *point;        /* a row per lambda: crease_regression_point */
    const double *coefficients; /* a row per lambda: the intercept, then the p coefficients of X */
    const crease_csr_matrix *sparse; /* X, if that is NULL */
    crease_regression_settings s; /* as crease_regression_used tells them: nothing is chosen here;
                                     the last member, because it may grow */
} crease_regression_claim;

/* out has room for s.path verifications, each to be freed by crease_verification_free. The design
 * is made anew; coefficients that are not those of the point are INVALID, whatever the point is.
 * False, with e filled in and every out empty, when the claim makes no sense or memory runs out. */
CREASE_API bool crease_regression_verify(const crease_regression_claim *c, crease_verification *out,
                                         crease_error *e);

/* The checker's own objective at every lambda, and its own bound: the objective is at most bound[k]
 * above its least value. A bound is looked for until it is no more than wanted[k]; INFINITY: none
 * is proved, NaN: wanted[k] is NaN. Both are NaN when the time was over. */
CREASE_API bool crease_regression_bound(const crease_regression_claim *c, const double *wanted,
                                        double *objective, double *bound, crease_error *e);

/* For data larger than memory: fills `count` rows from `first` on, each x_1 .. x_p, y, and its
 * weight where there are some; they are asked for in order, again and again from 0 on. */
typedef struct {
    bool weighted;
    bool (*read)(void *user, ptrdiff_t first, ptrdiff_t count, double *out, crease_error *e);
    void *user;
} crease_regression_reading;

/* Both of these at once, of a claim without X, y and row_weight: wanted NULL: no bounds. Numbers of
 * a few hundred rows are added up in double, with bounds of their rounding, and these in extended
 * precision. `bound` needs as much doubt as that leaves. */
CREASE_API bool crease_regression_verify_on(const crease_regression_claim *c,
                                            const crease_regression_reading *rows,
                                            const double *wanted, crease_verification *out,
                                            double *objective, double *bound, crease_error *e);

/* The loss as a coupling of catalogue entries, of the predictor divided by its scale. */
CREASE_API crease_smooth crease_regression_smooth(crease_regression_loss loss,
                                                  const crease_predictor *p);

/* Cross-validation over the lambdas of a model, each fold standardized by itself. */
typedef struct {
    ptrdiff_t count; /* of lambdas; 0: stopped before every fold was fitted */
    int folds;
    double *mean, *error;   /* deviance on the rows left out, and its standard error */
    ptrdiff_t best, one_se; /* least mean; the largest lambda within one error of it */
} crease_regression_scores;

/* X and y are those of the model. The rows are dealt to the folds by a random permutation, class
 * by class for labels. Free with crease_regression_scores_free, after a failure too. */
CREASE_API bool crease_regression_cv(const crease_regression *m, const double *X, const double *y,
                                     int folds, uint64_t seed, crease_regression_scores *out,
                                     crease_error *e);
/* The same over folds of the caller's: fold[i] is in 0 .. folds-1, each of which has a row, or -1,
 * a row that is never left out. */
CREASE_API bool crease_regression_cv_by(const crease_regression *m, const double *X,
                                        const double *y, int folds, const int *fold,
                                        crease_regression_scores *out, crease_error *e);
CREASE_API bool crease_regression_cv_sparse(const crease_regression *m, const crease_csr_matrix *X,
                                            const double *y, int folds, const int *fold,
                                            crease_regression_scores *out, crease_error *e);
/* Over the folds of a model of rows in slabs; with the squared loss it looks at no data. */
CREASE_API bool crease_regression_cv_on(const crease_regression *m, crease_regression_scores *out,
                                        crease_error *e);
/* How many of them there are: those that rows have of their own are counted. */
CREASE_API int crease_regression_folds_on(const crease_regression *m);
CREASE_API void crease_regression_scores_free(crease_regression_scores *s);

/* fold[i] in 0 .. folds-1 for each row, as the cross-validation deals them. */
CREASE_API bool crease_regression_folds(ptrdiff_t n, const double *y, bool classes, int folds,
                                        uint64_t seed, int *fold, crease_error *e);

#ifdef __cplusplus
}
#endif

#endif
