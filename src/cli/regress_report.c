/* SPDX-License-Identifier: MIT
 * regress_plot: the coefficients along the path as an SVG picture */
#include "cli/regress.h"

enum {
    PATH_ROOM = 4096,
    WIDTH = 760,
    HEIGHT = 470,
    LEFT = 70,
    TOP = 50,
    RIGHT = 740,
    BOTTOM = 410
};

/* From log10(lambda), descending to the right, and a coefficient to the picture. */
typedef struct {
    const crs_regress_job *j;
    double first, last; /* log10(lambda) */
    double low, high;   /* coefficients */
} frame;

static double across(const frame *f, double lambda)
{
    const double wide = f->first - f->last;
    return LEFT + (RIGHT - LEFT) * (wide > 0 ? (f->first - log10(lambda)) / wide : 0.5);
}

static double down(const frame *f, double b)
{
    return BOTTOM - (BOTTOM - TOP) * ((b - f->low) / (f->high - f->low));
}

static frame fit(const crs_regress_job *j)
{
    frame f = { .j = j };
    f.first = log10(crease_regression_at(j->model, 0).lambda);
    f.last = log10(crease_regression_at(j->model, j->s.path - 1).lambda);
    for (ptrdiff_t k = 0; k < j->s.path; k++) {
        const double *b = crease_regression_at(j->model, k).coef;
        for (ptrdiff_t i = 0; i < j->p; i++) {
            f.low = smaller(f.low, b[i]);
            f.high = larger(f.high, b[i]);
        }
    }
    const double margin = f.high > f.low ? 0.04 * (f.high - f.low) : 1;
    f.low -= margin, f.high += margin;
    return f;
}

/* 1, 2 or 5 times a power of ten: about `count` of them over the range */
static double tick_step(double range, int count)
{
    const double rough = range / count, power = pow(10, floor(log10(rough))), part = rough / power;
    return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static void put_axes(FILE *file, const frame *f)
{
    const double step = tick_step(f->high - f->low, 6);
    const int first = (int)ceil(f->low / step), last = (int)floor(f->high / step);
    for (int k = first; k <= last; k++) {
        const double y = down(f, k * step);
        fprintf(file, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, y, RIGHT);
        fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n", LEFT - 6,
                y + 4, k * step);
    }
    const ptrdiff_t path = f->j->s.path, every = path > 8 ? (path + 7) / 8 : 1;
    for (ptrdiff_t k = 0; k < path; k += every) {
        const crease_regression_solution s = crease_regression_at(f->j->model, k);
        const double x = across(f, s.lambda);
        fprintf(file, "<path class=\"axis\" d=\"M%.1f %dv5\"/>", x, BOTTOM);
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.3g</text>", x,
                BOTTOM + 19, s.lambda);
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%td</text>\n", x, TOP - 8,
                s.nonzero);
    }
    fprintf(file, "<path class=\"axis\" d=\"M%d %dH%dM%d %dV%d\"/>\n", LEFT, BOTTOM, RIGHT, LEFT,
            TOP, BOTTOM);
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">lambda</text>\n",
            (LEFT + RIGHT) / 2, BOTTOM + 42);
    fprintf(file,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">number of coefficients that are not "
            "zero</text>\n",
            (LEFT + RIGHT) / 2, TOP - 28);
    fprintf(file,
            "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">"
            "coefficient</text>\n",
            (TOP + BOTTOM) / 2);
}

static void close_line(FILE *file, const frame *f, ptrdiff_t i)
{
    char name[CRS_NAME];
    fprintf(file, "\"><title>");
    crs_put_markup(file, crs_regress_column(f->j, i, name));
    fprintf(file, "</title></polyline>\n");
}

/* Colours by the golden angle: neighbours differ. */
static void put_line(FILE *file, const frame *f, ptrdiff_t i)
{
    const crease_regression *m = f->j->model;
    const ptrdiff_t path = f->j->s.path;
    bool open = false;
    for (ptrdiff_t k = 0; k < path; k++) {
        const crease_regression_solution s = crease_regression_at(m, k);
        const bool near = s.coef[i] != 0 ||
                          (k > 0 && crease_regression_at(m, k - 1).coef[i] != 0) ||
                          (k + 1 < path && crease_regression_at(m, k + 1).coef[i] != 0);
        if (near && !open)
            fprintf(file, "<polyline stroke=\"hsl(%.0f,65%%,42%%)\" points=\"",
                    fmod(137.508 * (double)i, 360));
        if (near) fprintf(file, "%.1f,%.1f ", across(f, s.lambda), down(f, s.coef[i]));
        if (!near && open) close_line(file, f, i);
        open = near;
    }
    if (open) close_line(file, f, i);
}

static void put_mark(FILE *file, const frame *f, ptrdiff_t k, const char *text, int row)
{
    const double x = across(f, crease_regression_at(f->j->model, k).lambda);
    fprintf(file, "<path class=\"mark\" d=\"M%.1f %dV%d\"/>", x, TOP, BOTTOM);
    fprintf(file, "<text class=\"note\" x=\"%.1f\" y=\"%d\">%s</text>\n", x + 4, BOTTOM - 18 * row,
            text);
}

static bool put_picture(FILE *file, const void *what)
{
    const crs_regress_job *j = what;
    const frame f = fit(j);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<title>coefficients along the path</title>\n"
            "<style>polyline{fill:none;stroke-width:1.4}.grid{stroke:#ddd}.axis{stroke:#333;"
            "fill:none}.mark{stroke:#555;stroke-dasharray:4 "
            "3}.note{fill:#333;stroke:#fff;stroke-width:4;paint-order:stroke}</style>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    put_axes(file, &f);
    for (ptrdiff_t i = 0; i < j->p; i++) put_line(file, &f, i);
    if (j->folds) put_mark(file, &f, j->cv.best, "least deviance", 1);
    if (j->folds && j->cv.one_se != j->cv.best)
        put_mark(file, &f, j->cv.one_se, "one standard error", 2);
    fprintf(file, "</svg>\n");
    return !ferror(file);
}

bool crs_regress_plot(const crs_regress_job *j, crease_error *e)
{
    char path[PATH_ROOM];
    return crs_join(crs_given(j->a, CRS_OPT_OUT), "path.svg", path, sizeof path, e) &&
           crs_write_whole(path, put_picture, j, e);
}
