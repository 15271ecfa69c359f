/* SPDX-License-Identifier: MIT
 * method.h: the state of a run, the table of methods, the moves that methods are made of (moves.c),
 * each of which keeps s = sum A_i x_i - b and the images u of x under the matrices of f, so that
 * values, potentials and tests cost no product; and what their recipes share (recipe.c) */
#ifndef CRS_METHOD_H
#define CRS_METHOD_H

#include <crease/analysis.h>

#include "core/carve.h"
#include "problem/problem.h"

typedef struct {
    const crease_problem *p;
    const crease_analysis *a;
    double **x;         /* the iterate */
    double **was;       /* the point the last step started from */
    double **to;        /* a third point: directions, candidates */
    double *lambda, *s; /* multiplier and residual of the constraint */
    double *u;          /* images of x (problem.h) */
    double *u_last;     /* of the last block's last move; of gcg: of the direction */
    double *u_from;     /* of gcg: of `was`; otherwise of a candidate */
    double *guess;      /* L_i-hat of blocks without a known constant */
    double *g, *v, *y;  /* vectors of the largest block */
    double *m;          /* a vector of the constraint */
    double *solve;      /* memory of the last block's linear solver */
    double *work;       /* for operations */
    double *r;          /* r_i(x_i) where the step that made x_i knows it, otherwise NaN */
    double *factors;    /* room of proxes (problem.h) */
    struct crs_factored *factored; /* a block each (factored.c) */
    double *share;                 /* of GCG: what block i adds to it */
    double gap;                    /* of GCG: -psi_S at the point the last step started from */
    double rho_guess;              /* of GCG */
    long evaluations;              /* of f or one of its block gradients */
    struct crs_crew *crew;         /* threads that make steps (crew.c); NULL: one after the other */
    double worth;                  /* seconds that threads have to win */
    crease_watch *watch; /* a step that it cuts leaves any finite point: the best one is kept */
} crs_state;

/* How well some block would serve as the last one, r = 0 and no set: what theorems ask of it. */
typedef enum {
    CRS_NO_LAST,
    CRS_FULL_RANK, /* A_N of full row rank */
    CRS_IDENTITY,  /* A_N = c I */
    CRS_SEPARABLE, /* and f = f1(the others) + f2(x_N) */
    CRS_QUADRATIC  /* and f2 a quadratic that f minimizes itself */
} crs_last;

/* A bit for every option of a run; CRS_READS_ALWAYS are those of the driver. */
enum {
#define X(type, name, value, low, high, text) CRS_OPTION_##name,
    CREASE_OPTIONS(X)
#undef X
};
#define CRS_READS(name) (1u << CRS_OPTION_##name)
#define CRS_READS_ALWAYS                                                                           \
    (CRS_READS(eps) | CRS_READS(relative) | CRS_READS(max_iterations) | CRS_READS(max_seconds) |   \
     CRS_READS(max_evaluations) | CRS_READS(seed))
#define CRS_READS_ITERATES  (CRS_READS_ALWAYS | CRS_READS(certify_every) | CRS_READS(theta))
#define CRS_READS_POTENTIAL (CRS_READS_ITERATES | CRS_READS(accelerate) | CRS_READS(audit))

/* A method is a file with its recipe and its step, and a line of CREASE_METHODS. */
typedef struct crs_method {
    const char *elsewhere; /* a method of one model alone: the sentence that says so */
    bool constrained;      /* it is about sum A_i x_i = b; otherwise it takes no constraint */
    bool oracle;           /* linear oracles and psi_S instead of proxes and a residual per block */
    bool unproximal;       /* H_i = 0 wherever a block step is exact */
    bool slack;            /* it runs the problem with a slack block (problem/extension.h) */
    bool accelerate;       /* extrapolation is safe for it */
    const struct crs_core
        *core;      /* a core of composite/ on the presolved problem; NULL: steps below */
    unsigned reads; /* the options it reads */

    /* auto takes the first that suits; NULL: never. */
    bool (*suits)(const crease_problem *p, const crease_options *o, crs_last last);
    /* Why it cannot run although the constraint is as it should be; NULL: it can. */
    bool (*check)(const crease_problem *p, crs_last last, crease_error *e);
    /* NULL: the problem is analysed as it stands. */
    crease_analysis *(*analyse)(const crease_problem *p, const crease_options *o, crease_error *e);
    /* Parameters, decrease and kappa by its theorem. */
    void (*recipe)(const crease_problem *p, const crease_options *o, crease_analysis *a);
    /* Iterations to eps from a start with this drop; NULL: by kappa and decrease. */
    double (*bound)(const crease_analysis *a, double drop, double eps);

    ptrdiff_t (*solver_size)(const crease_problem *p, const crease_analysis *a); /* NULL: 0 */
    bool (*prepare)(crs_state *st, crease_error *e);                             /* NULL: nothing */
    void (*step)(crs_state *st);
    /* The weight of xbar - x_N in c lambda after a step; NULL: the last block is minimized exactly.
     */
    double (*pull)(const crease_analysis *a);
    const struct crs_method *exact; /* for a last block that f minimizes itself; NULL: none */
} crs_method;

#define X(name, method, text, meaning) extern const crs_method crs_method_##method;
CREASE_METHODS(X)
#undef X

/* The entry of a method's name; the one that an analysis asks for. */
const crs_method *crs_method_at(crease_method method);
const crs_method *crs_method_for(const crease_analysis *a);

/* The method that is this core (cores.c). */
crease_method crs_method_of(const struct crs_core *core);

/* Does a run with these options go to the cores, if they can take the problem (cores.c)? */
bool crs_wants_cores(const crease_options *o);

/* False with a sentence when an option differs from its default and `who` does not read it. */
bool crs_options_read(const crease_options *o, unsigned reads, const char *who, crease_error *e);

/* What the theory says of the steps on p, nothing about whether there is an answer
 * (theory/analyse.c). */
crease_analysis *crs_analyse_steps(const crease_problem *p, const crease_options *given,
                                   crease_error *e);

/* The parameters anew, after the constants in a changed. */
void crs_retune(const crease_problem *p, const crease_options *o, crease_analysis *a);

/* R2: the last block minimized exactly (admm_exact.c); also the extension's iteration. */
extern const crs_method crs_admm_exact;

static inline const double *const *points(double *const *x) { return (const double *const *)x; }

/* s and u of x anew, from their definitions. */
void crs_refresh(crs_state *st);

/* f at x, and its gradient in block i, from the images. */
double crs_value(crs_state *st);
void crs_gradient(crs_state *st, int i, double *g);

/* g = grad_i f(x) - A_i'(lambda - beta s): the gradient of the augmented Lagrangian but for r_i. */
void crs_lagrangian_grad(crs_state *st, int i, double *g);

/* x_i <- y, s and u along with it. */
void crs_move_to(crs_state *st, int i, const double *y);

/* x_i <- argmin of the augmented Lagrangian + (1/2)|x_i - x_i^k|_{H_i}^2, exactly or with f
 * linearized, as the plan of block i says. */
void crs_block_step(crs_state *st, int i);

/* Can a step on block i without a set be made by a factor of Q_ii + beta A_i'A_i + h I, for any
 * beta
 * >= 0? Its memory; what it is made of, once; the step, false: there is none. */
bool crs_offers_factor(const crease_problem *p, int i, double map_scale, double h, bool *offers,
                       crease_error *e);
void crs_carve_factors(const crease_problem *p, const crease_analysis *a, crs_carver *c,
                       struct crs_factored **into);
bool crs_prepare_factors(crs_state *st, crease_error *e);
bool crs_factored_step(crs_state *st, int i, double h);

/* Steps 1 and 3 of the ADMMs; the first without a last block: a sweep of BCD. */
void crs_all_blocks_but_last(crs_state *st);
void crs_multiplier_step(crs_state *st);

/* The levels of a sweep: whose steps look at all of f is known from the analysis (crew.c). */
bool crs_sweep_levels(const crease_problem *p, const crease_analysis *a, crs_levels *l,
                      crease_error *e);

/* Moves on several blocks at the same time, with the bits of moves one after the other: by up to
 * `threads` threads, where st->worth seconds are won by it. NULL where no two blocks may be
 * moved at once. scratch: of a state's work. */
typedef struct crs_crew crs_crew;
bool crs_crew_open(const crease_problem *p, const crease_analysis *a, int threads,
                   ptrdiff_t scratch, crs_crew **out, crease_error *e);
void crs_crew_free(crs_crew *c);
const crs_levels *crs_crew_sweep(const crs_crew *c);

/* A move on every block but the last, level by level until the watch is over (NULL: never); and one
 * that changes nothing that those of other blocks read, false: functions of the user are called, so
 * that the caller has to make it. */
typedef void crs_block_move(crs_state *st, int i);
void crs_crew_levels(crs_state *st, crs_block_move *move, const crease_watch *watch);
bool crs_crew_all(crs_state *st, crs_block_move *move);

/* f + sum r_i - <lambda, s> + (beta/2)|s|^2, with the memory term of the method's theorem. */
double crs_potential(crs_state *st);

/* Puts lambda where a step of the method would leave it, A_N = c I: with xbar = was_N,
 *   gradient step:   c lambda = grad_N f(x_<, xbar) + (beta c^2 - 1/gamma)(xbar - x_N)
 *   majorized step:  c lambda = grad_N f(x_<, xbar) - ell (xbar - x_N)
 *   exact step:      c lambda = grad_N f(x)                                                   */
void crs_restore_multiplier(crs_state *st);

enum { CRS_ASSUMPTIONS_A_BLOCK = 3, CRS_ASSUMPTIONS_ALL = 24 };

/* One more line of the analysis. A violated or unknown assumption takes the guarantee away. */
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
void crs_note(crease_analysis *a, const char *name, int block, crease_status status, double number,
              const char *reason, ...);

/* proved when the condition holds, violated otherwise. */
static inline crease_status when(bool holds) { return holds ? CREASE_PROVED : CREASE_VIOLATED; }

/* h of every block, the least h that acts, a beta where any will do, and kappa_4. */
void crs_set_h(const crease_options *o, crease_analysis *a, double h, double least);
double crs_least_h(const crease_analysis *a);
double crs_free_beta(const crease_analysis *a);
double crs_kappa_blocks(const crease_analysis *a);

#endif
