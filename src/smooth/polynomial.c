/* SPDX-License-Identifier: MIT
 * polynomial: phi(u) = c_0 + c_1 u + ... + c_8 u^8
 *
 * Bounds of phi and phi'' on an interval come from Bernstein's form: on [a, a + h], with
 * b_k = phi^(k)(a) h^k/k!, phi is at least the least of B_i = sum_{k <= i} C(i,k)/C(n,k) b_k, and
 * B_0 and B_n are its values at the ends. The interval with the lowest bound is halved until that
 * is nearly a value of phi. On the whole line, for n even and c_n > 0, phi is least where |u| <= 1
 * + max_{0 < k < n} k |c_k|/(n c_n), a bound of the roots of phi'. */
#include "smooth/smooth.h"

enum { DEGREE = 8, PIECES = 256 };

static double horner(const double *c, double u)
{
    double v = c[DEGREE];
    for (int k = DEGREE; k-- > 0;) v = v * u + c[k];
    return v;
}

/* The coefficients of phi^(order) */
static void derive(const double *c, int order, double *out)
{
    for (int k = 0; k <= DEGREE; k++) {
        double by = 1;
        for (int j = 0; j < order; j++) by *= (double)(k + order - j);
        out[k] = k + order <= DEGREE ? by * c[k + order] : 0;
    }
}

static double value(const double *par, double u) { return horner(par, u); }

static double slope(const double *par, double u)
{
    double c[DEGREE + 1];
    derive(par, 1, c);
    return horner(c, u);
}

static double curve(const double *par, double u)
{
    double c[DEGREE + 1];
    derive(par, 2, c);
    return horner(c, u);
}

typedef struct {
    double a, h, low; /* the polynomial is at least low on [a, a + h] */
} piece;

/* out[k] = p^(k)(a) h^k/k! */
static void taylor(const double *c, double a, double h, double *out)
{
    double power = 1;
    copy(DEGREE + 1, c, out);
    for (int i = 0; i <= DEGREE; i++)
        for (int k = DEGREE; k-- > i;) out[k] += a * out[k + 1];
    for (int k = 0; k <= DEGREE; k++, power *= h) out[k] *= power;
}

/* A piece with its bound; *seen becomes the least value seen at ends. */
static piece bounded(const double *c, double a, double h, double *seen)
{
    double b[DEGREE + 1], size[DEGREE + 1], sizes[DEGREE + 1], error = 0, low = INFINITY, end = 0;
    for (int k = 0; k <= DEGREE; k++) size[k] = fabs(c[k]);
    taylor(c, a, h, b);
    taylor(size, fabs(a), h, sizes);
    for (int k = 0; k <= DEGREE; k++) error += 128 * 0x1p-53 * sizes[k], end += b[k];
    for (int i = 0; i <= DEGREE; i++) {
        double sum = 0, ratio = 1; /* C(i,k)/C(n,k) */
        for (int k = 0; k <= i; k++) {
            sum += ratio * b[k];
            if (k < DEGREE) ratio *= (double)(i - k) / (double)(DEGREE - k);
        }
        low = smaller(low, sum);
    }
    *seen = smaller(*seen, smaller(b[0], end) + error);
    return (piece){ a, h, isnan(low - error) ? -INFINITY : low - error };
}

/* A lower bound of sum c_k u^k on [u.low, u.high], hardly below its minimum. */
static double least_in(const double *c, crs_range u)
{
    piece all[PIECES];
    double seen = INFINITY;
    all[0] = bounded(c, u.low, u.high - u.low, &seen);
    for (int count = 1;; count++) {
        int worst = 0;
        for (int k = 1; k < count; k++)
            if (all[k].low < all[worst].low) worst = k;
        const piece p = all[worst];
        if (count == PIECES || !(p.low < seen - 0x1p-40 * fabs(seen))) return p.low;
        all[worst] = bounded(c, p.a, p.h / 2, &seen);
        all[count] = bounded(c, p.a + p.h / 2, p.h / 2, &seen);
    }
}

static double least(const double *c, crs_range u)
{
    int n = DEGREE;
    while (n > 0 && c[n] == 0) n--;
    if (n == 0) return c[0];
    if (n % 2 == 0 && c[n] > 0) {
        double far = 1;
        for (int k = 1; k < n; k++)
            far = larger(far, 1 + (double)k * fabs(c[k]) / ((double)n * c[n]));
        far *= 1 + 0x1p-48; /* beyond it the polynomial only rises */
        u = (crs_range){ clip(smaller(-far, u.high), u.low, u.high),
                         clip(larger(far, u.low), u.low, u.high) };
    }
    return isfinite(u.high - u.low) ? least_in(c, u) : -INFINITY;
}

static crs_range bend(const double *par, crs_range u)
{
    double c[DEGREE + 1];
    derive(par, 2, c);
    const double low = least(c, u);
    for (int k = 0; k <= DEGREE; k++) c[k] = -c[k];
    return (crs_range){ low, -least(c, u) };
}

static bool check(const double *par, crease_error *e)
{
    for (int k = 0; k <= DEGREE; k++)
        if (!isfinite(par[k]))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "polynomial: the coefficient of u^%d is %g; give finite numbers, at "
                            "most %d of them",
                            k, par[k], DEGREE + 1);
    return true;
}

const crs_loss crs_polynomial = {
    .ops = { .name = "polynomial",
             .formula = "sum_j w_j (c_0 + c_1 u_j + ... + c_8 u_j^8)",
             .data_text = "terms {block: map}, rhs, coefficients [c_0, c_1, ...], weights",
             CRS_LOSS_OPS },
    .value = value,
    .slope = slope,
    .curve = curve,
    .low = -INFINITY,
    .high = INFINITY,
    .bend = bend,
    .least = least,
    .check = check,
};

crease_smooth crease_polynomial(const crease_predictor *p, int degree, const double *coefficient)
{
    crease_smooth f = { .ops = &crs_polynomial.ops, .data = p };
    if (degree < 0 || degree > DEGREE) f.par[0] = NAN; /* for the check */
    for (int k = 0; degree <= DEGREE && k <= degree; k++) f.par[k] = coefficient[k];
    return f;
}
