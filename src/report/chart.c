/* SPDX-License-Identifier: MIT
 * chart: drawings with axes as SVG: a horizontal grid, ticks at 1-2-5, powers of ten */
#include "report/report.h"

const char *crs_colour(ptrdiff_t k)
{
    static const char *const name[] = { "c1", "c2", "c3", "c4", "c5", "c6" };
    return name[k % 6];
}

crs_chart crs_chart_of(crs_markup *to, double width, double height)
{
    return (crs_chart){ .to = to,
                        .width = width,
                        .height = height,
                        .left = 50,
                        .right = 12,
                        .top = 14,
                        .bottom = 42,
                        .x1 = 1,
                        .y1 = 1 };
}

static double at_x(const crs_chart *c, double x)
{
    return c->left + (x - c->x0) / (c->x1 - c->x0) * (c->width - c->left - c->right);
}

static double at_y(const crs_chart *c, double y)
{
    const double low = c->log ? log10(c->y0) : c->y0, high = c->log ? log10(c->y1) : c->y1;
    const double t = c->log ? (y > 0 ? log10(y) : low) : y;
    return c->top + (high - clip(t, low, high)) / (high - low) * (c->height - c->top - c->bottom);
}

/* The smallest of 1, 2, 5, 10 times a power of ten with at most `most` steps in the span. */
static double step_of(double span, int most)
{
    const double raw = span / most, power = pow(10, floor(log10(raw)));
    for (int k = 0; k < 3; k++) {
        static const double part[] = { 1, 2, 5 };
        if (part[k] * power >= raw * 0.999) return part[k] * power;
    }
    return 10 * power;
}

static void grid_line(const crs_chart *c, double y, const char *text)
{
    const double v = at_y(c, y);
    crs_mark(c->to,
             "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" class=\"g\"/><text x=\"%.0f\" "
             "y=\"%.1f\" text-anchor=\"end\">%s</text>",
             c->left, c->width - c->right, v, v, c->left - 6, v + 4, text);
}

static void powers_of_ten(const crs_chart *c)
{
    char text[CRS_DIGITS];
    const int low = (int)ceil(log10(c->y0) - 1e-9), high = (int)floor(log10(c->y1) + 1e-9);
    const int every = 1 + (high - low) / 7;
    for (int k = low; k <= high; k += every)
        grid_line(c, pow(10, k),
                  low < -3 || high > 4 ? crs_power(k, text) : crs_digits(pow(10, k), 1, text));
}

static void grid(const crs_chart *c)
{
    char text[CRS_DIGITS];
    if (c->cells) return;
    if (c->log) {
        powers_of_ten(c);
        return;
    }
    const double step = step_of(c->y1 - c->y0, 5);
    for (double k = ceil(c->y0 / step - 1e-9); k <= c->y1 / step + 1e-9; k++)
        grid_line(c, k * step, crs_digits(k * step, 6, text));
}

void crs_chart_mark(const crs_chart *c, double x, const char *text)
{
    crs_mark(c->to, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>", at_x(c, x),
             c->height - c->bottom + 16, text);
}

void crs_chart_mark_y(const crs_chart *c, double y, const char *text)
{
    crs_mark(c->to, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%s</text>", c->left - 6,
             at_y(c, y) + 4, text);
}

void crs_chart_cells(const crs_chart *c, ptrdiff_t rows, ptrdiff_t columns,
                     const unsigned char *level)
{
    const double wide = (c->width - c->left - c->right) / (double)columns,
                 high = (c->height - c->top - c->bottom) / (double)rows;
    crs_mark(c->to, "<g transform=\"translate(%.1f %.1f) scale(%.5f %.5f)\" class=\"cells\">",
             c->left, c->top, wide, high);
    for (int k = 1; k <= CRS_LEVELS; k++) {
        crs_mark(c->to, "<path style=\"fill:var(--k%d)\" d=\"", k);
        for (ptrdiff_t i = 0; i < rows; i++)
            for (ptrdiff_t j = 0, run; j < columns; j += run) {
                run = 1;
                if (level[i * columns + j] != k) continue;
                while (j + run < columns && level[i * columns + j + run] == k) run++;
                crs_mark(c->to, "M%td %tdh%tdv1h-%tdz", j, i, run, run);
            }
        crs_mark(c->to, "\"/>");
    }
    crs_mark(c->to, "</g><rect class=\"f\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
             c->left, c->top, c->width - c->left - c->right, c->height - c->top - c->bottom);
}

static void marks(const crs_chart *c)
{
    char text[CRS_DIGITS];
    const double step = step_of(c->x1 - c->x0, c->width > 800 ? 12 : 6);
    for (double k = ceil(c->x0 / step - 1e-9); k <= c->x1 / step + 1e-9; k++)
        crs_chart_mark(c, k * step, crs_digits(k * step, 6, text));
}

/* A range of no length, or one that is no number, gets a length. */
static void mend(double *low, double *high, bool log)
{
    if (!isfinite(*low) || !isfinite(*high) || *low > *high) *low = log ? 0.1 : 0, *high = 1;
    if (log && !(*low > 0)) *low = *high > 0 ? *high * 1e-6 : 0.1;
    if (log) *low = clip(*low, 1e-290, 1e290), *high = clip(*high, 1e-290, 1e290);
    if (log && !(*high > *low)) *high = 10 * *low, *low /= 10;
    if (!(*high - *low > 1e-12 * larger(fabs(*low), fabs(*high)))) {
        const double pad = *low == 0 ? 1 : 0.1 * fabs(*low);
        *low -= *low == 0 ? 0 : pad;
        *high += pad;
    }
}

/* Room for the longest number at the left of a linear axis. */
static double left_margin(const crs_chart *c)
{
    char text[CRS_DIGITS];
    const double step = step_of(c->y1 - c->y0, 5);
    int most = 0;
    for (double k = ceil(c->y0 / step - 1e-9); k <= c->y1 / step + 1e-9; k++) {
        int count = 0;
        for (const char *at = crs_digits(k * step, 6, text); *at; at++)
            count += ((unsigned char)*at & 0xC0) != 0x80;
        most = count > most ? count : most;
    }
    return larger(c->left, 12 + 7 * most + (c->yname ? 16 : 0));
}

void crs_chart_begin(crs_chart *c)
{
    mend(&c->x0, &c->x1, false);
    mend(&c->y0, &c->y1, c->log);
    if (!c->log && !c->cells) c->left = left_margin(c);
    const double foot = c->height - c->bottom;
    crs_mark(c->to,
             "<svg class=\"chart%s\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"%s\">",
             c->width > 800 ? " long" : "", c->width, c->height, c->label);
    grid(c);
    if (!c->cells)
        crs_mark(c->to, "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" class=\"b\"/>",
                 c->left, c->width - c->right, foot, foot);
    if (!c->unmarked && !c->cells) marks(c);
    if (c->xname)
        crs_mark(c->to, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>",
                 (c->left + c->width - c->right) / 2, c->height - 6, c->xname);
    if (c->yname)
        crs_mark(c->to,
                 "<text class=\"y\" transform=\"translate(11 %.0f) rotate(-90)\" "
                 "text-anchor=\"middle\">%s</text>",
                 (c->top + foot) / 2, c->yname);
}

void crs_chart_end(const crs_chart *c) { crs_mark(c->to, "</svg>"); }

static bool drawn(const crs_chart *c, double x, double y)
{
    return isfinite(x) && isfinite(y) && (!c->log || y > 0);
}

void crs_chart_line(const crs_chart *c, ptrdiff_t n, const double *x, const double *y,
                    const char *colour)
{
    bool open = false;
    crs_mark(c->to, "<path class=\"l\" style=\"stroke:var(--%s)\" d=\"", colour);
    for (ptrdiff_t k = 0; k < n; k++) {
        const bool now = drawn(c, x[k], y[k]);
        if (now) crs_mark(c->to, "%c%.1f %.1f", open ? 'L' : 'M', at_x(c, x[k]), at_y(c, y[k]));
        open = now;
    }
    crs_mark(c->to, "\"/>");
}

void crs_chart_dots(const crs_chart *c, ptrdiff_t n, const double *x, const double *y,
                    const char *colour)
{
    for (ptrdiff_t k = 0; k < n; k++)
        if (drawn(c, x[k], y[k]))
            crs_mark(c->to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\" style=\"fill:var(--%s)\"/>",
                     at_x(c, x[k]), at_y(c, y[k]), colour);
}

void crs_chart_area(const crs_chart *c, ptrdiff_t n, const double *x, const double *y,
                    const double *low, const char *colour)
{
    const double foot = c->height - c->bottom;
    bool open = false;
    crs_mark(c->to, "<path opacity=\".2\" style=\"fill:var(--%s)\" d=\"", colour);
    for (ptrdiff_t k = 0; k < n; k++) {
        if (!drawn(c, x[k], y[k])) continue;
        if (!open && !low) crs_mark(c->to, "M%.1f %.1f", at_x(c, x[k]), foot);
        crs_mark(c->to, "%c%.1f %.1f", open || !low ? 'L' : 'M', at_x(c, x[k]), at_y(c, y[k]));
        open = true;
    }
    for (ptrdiff_t k = n - 1; open && k >= 0; k--) {
        if (!drawn(c, x[k], y[k])) continue;
        crs_mark(c->to, "L%.1f %.1f", at_x(c, x[k]),
                 low && isfinite(low[k]) ? at_y(c, low[k]) : foot);
        if (!low) break;
    }
    crs_mark(c->to, "%s\"/>", open ? "Z" : "");
}

void crs_chart_bar(const crs_chart *c, double x, double wide, double y, const char *colour,
                   const char *title)
{
    if (!isfinite(x) || !isfinite(y)) return;
    const double left = at_x(c, x - wide / 2), right = at_x(c, x + wide / 2);
    const double zero = at_y(c, clip(0, c->y0, c->y1)), end = at_y(c, y);
    crs_mark(c->to,
             "<rect x=\"%.1f\" width=\"%.1f\" y=\"%.1f\" height=\"%.1f\" "
             "style=\"fill:var(--%s)\"><title>%s</title></rect>",
             left, right - left, smaller(zero, end), fabs(zero - end), colour, title);
}

void crs_chart_badge(const crs_chart *c, double x, double y, const char *colour, int number)
{
    const double v = larger(at_y(c, y) - 12, 9);
    if (!drawn(c, x, y)) return;
    crs_mark(c->to,
             "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"8.5\" style=\"fill:var(--%s)\"/><text "
             "class=\"n\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%d</text>",
             at_x(c, x), v, colour, at_x(c, x), v + 4, number);
}

void crs_chart_level(const crs_chart *c, double y, const char *colour, const char *text)
{
    if (!drawn(c, 0, y) || y < c->y0 || y > c->y1) return;
    const double v = at_y(c, y), beside = v < c->height - c->bottom - 22 ? v + 15 : v - 6;
    crs_mark(c->to,
             "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" class=\"d\" "
             "style=\"stroke:var(--%s)\"/><text class=\"h\" x=\"%.0f\" y=\"%.1f\" "
             "style=\"fill:var(--%s)\">%s</text>",
             c->left, c->width - c->right, v, v, colour, c->left + 6, beside, colour, text);
}

void crs_chart_upright(const crs_chart *c, double x, const char *colour, const char *text)
{
    if (!isfinite(x) || x < c->x0 || x > c->x1) return;
    const double v = at_x(c, x), foot = c->height - c->bottom;
    const bool left = v > (c->left + c->width - c->right) / 2;
    crs_mark(
        c->to,
        "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.0f\" y2=\"%.0f\" class=\"d\" "
        "style=\"stroke:var(--%s)\"/><text class=\"h\" x=\"%.1f\" y=\"%.0f\" text-anchor=\"%s\" "
        "style=\"fill:var(--%s)\">%s</text>",
        v, v, c->top, foot, colour, left ? v - 5 : v + 5, c->top + 9, left ? "end" : "start",
        colour, text);
}

void crs_chart_ring(const crs_chart *c, double x, double y, const char *colour, const char *text)
{
    if (!drawn(c, x, y)) return;
    const double v = at_y(c, y);
    crs_mark(c->to,
             "<circle class=\"o\" cx=\"%.1f\" cy=\"%.1f\" r=\"7.5\" style=\"stroke:var(--%s)\"/>"
             "<text class=\"t h\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>",
             at_x(c, x), v, colour, at_x(c, x), v < c->top + 24 ? v + 24 : v - 14, text);
}
