/* SPDX-License-Identifier: MIT
 * data: the arrays that verbs are about: how the command line asks for them, what their axes are
 * called, and where in them an entry is */
#include "cli/cli.h"

bool crs_asked_of(const crs_args *a, crs_asked *out, crease_error *e)
{
    const char *absent = crs_given(a, CRS_OPT_ABSENT), *shape = crs_given(a, CRS_OPT_SHAPE);
    *out = (crs_asked){ .missing = crs_given(a, CRS_OPT_MISSING),
                        .read_as = crs_given(a, CRS_OPT_READ_AS),
                        .absent = absent,
                        .columns = crs_given(a, CRS_OPT_COLUMNS),
                        .drop = crs_given(a, CRS_OPT_DROP),
                        .frames = crs_given(a, CRS_OPT_FRAMES),
                        .size = crs_given(a, CRS_OPT_SIZE),
                        .colour = crs_given(a, CRS_OPT_COLOUR),
                        .watch = a->watch };
    if (absent && strcmp(absent, "zero") != 0 && strcmp(absent, "missing") != 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "--absent %.64s: write zero or missing", absent);
    if (out->columns && out->drop)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--columns and --drop both choose columns; give one of them");
    if (out->read_as && !crs_format_find(out->read_as, e)) return false;
    return !shape || (crs_parse_shape(shape, &out->shape, e) && crease_space_check(&out->shape, e));
}

/* --axes over the sidecar over what the file says. */
static bool name_axes(const crs_args *a, const char *path, crs_array *x, crease_error *e)
{
    const char *text = crs_given(a, CRS_OPT_AXES);
    crs_axes more;
    if (strcmp(path, "-") != 0) {
        if (!crs_axes_beside(path, &x->shape, &more, e)) return false;
        crs_axes_over(&x->axes, &more, x->shape.order);
    }
    if (!text) return true;
    if (crs_ends_in(text, ".json") ? !crs_axes_file(text, &x->shape, &more, e)
                                   : !crs_axes_parse(text, &x->shape, &more, e))
        return false;
    crs_axes_over(&x->axes, &more, x->shape.order);
    return true;
}

bool crs_name_data(const crs_args *a, const char *path, crs_array *out, crease_error *e)
{
    const bool done =
        name_axes(a, path, out, e) && crs_axes_fit(&out->axes, &out->shape, path, e) &&
        crs_axes_tidy(&out->axes, out->shape.order, out->notice, sizeof out->notice, e);
    if (done)
        crs_print_notice(a, out);
    else
        crs_array_free(out);
    return done;
}

bool crs_read_data(const crs_args *a, const char *path, const crs_asked *asked, crs_array *out,
                   crease_error *e)
{
    return crs_read_asked(path, asked, out, e) && crs_name_data(a, path, out, e);
}

void crs_place_text(const crs_array *x, ptrdiff_t j, char *out, size_t size)
{
    ptrdiff_t index[CREASE_MAX_ORDER];
    size_t used = 0;
    out[0] = '\0';
    for (int n = x->shape.order - 1; n >= 0; n--)
        index[n] = j % x->shape.dim[n], j /= x->shape.dim[n];
    for (int n = 0; n < x->shape.order && used < size; n++) {
        char text[120];
        crs_axis_text(&x->axes, n, index[n], text, sizeof text);
        used += (size_t)snprintf(out + used, size - used, "%s%s", n ? ", " : "", text);
    }
}

bool crs_part_finite(const crs_array *x, ptrdiff_t first, ptrdiff_t count, const double *t,
                     bool missing, const double *mask, crease_error *e)
{
    char where[300];
    if (!crs_axes_known(&x->axes, x->shape.order)) return true; /* whoever uses them says which */
    for (ptrdiff_t j = 0; j < count; j++) {
        if (isfinite(t[j]) || (mask && mask[j] == 0) || (missing && isnan(t[j]))) continue;
        crs_place_text(x, first + j, where, sizeof where);
        return crs_fail(e, CREASE_BAD_DATA, "entry %.250s is %s; %s", where,
                        isnan(t[j]) ? "nan"
                        : t[j] > 0  ? "inf"
                                    : "-inf",
                        isnan(t[j]) ? "give finite numbers, or let nan mark missing entries "
                                      "(--missing nan)"
                                    : "give finite numbers");
    }
    return true;
}

bool crs_data_finite(const crs_array *x, bool missing, const double *mask, crease_error *e)
{
    return crs_part_finite(x, 0, crease_size(&x->shape), x->data, missing, mask, e);
}

bool crs_parse_merge(const char *text, const crease_space *s, int *first, int *count,
                     crease_error *e)
{
    crs_array axes;
    if (!crs_parse_list("--merge", text, &axes, e)) return false;
    const ptrdiff_t many = crease_size(&axes.shape);
    const double from = axes.data[0];
    bool good = from >= 0 && from == floor(from) && from + (double)many <= s->order;
    for (ptrdiff_t k = 0; k < many; k++) good = good && axes.data[k] == from + (double)k;
    crs_array_free(&axes);
    *first = good ? (int)from : 0;
    *count = good ? (int)many : 1;
    return good ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "--merge %.64s: give neighbouring axes in ascending order, from 0 to %d", text,
                    s->order - 1);
}

void crs_merge_shape(crease_space *s, int first, int count)
{
    const int gone = count - 1;
    for (int k = 1; k <= gone; k++) s->dim[first] *= s->dim[first + k];
    for (int n = first + 1; n + gone < s->order; n++) s->dim[n] = s->dim[n + gone];
    s->order -= gone;
}

/* Axes in the order of the model's: a single slice has none along the mode. */
static bool align(const crs_array *x, int mode, int order, crs_axes *out, crease_error *e)
{
    if (!crs_axes_copy(&x->axes, x->shape.order, out, e)) return false;
    if (x->shape.order == order) return true;
    for (int n = order - 1; n > mode; n--) out->axis[n] = out->axis[n - 1];
    out->axis[mode] = (crs_axis){ .name = NULL };
    return true;
}

bool crs_slices_suit(const crs_array *x, int mode, const crs_axes *model, int order,
                     crease_error *e)
{
    char why[200] = "";
    crs_axes own;
    if (x->shape.order != order && x->shape.order != order - 1) return true; /* none are known */
    if (!align(x, mode, order, &own, e)) return false;
    const bool same = crs_axes_agree(&own, model, order, mode, "the data", "the model", why);
    crs_axes_free(&own);
    return same || crs_fail(e, CREASE_BAD_DATA,
                            "%s; give data of the model's axes, or fit a model to these", why);
}
