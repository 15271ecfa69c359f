/* SPDX-License-Identifier: MIT
 * rpca_tucker_options: what the command line says about Tucker and matrix models */
#include "cli/rpca_tucker.h"

static bool positive(const crs_args *a, crs_option_id id, double *x, crease_error *e)
{
    const char *text = crs_given(a, id);
    char name[CRS_NAME];
    if (!text || strcmp(text, "auto") == 0) return true;
    if (!crs_option_number(a, id, 0, x, e)) return false;
    return (*x > 0 && *x < INFINITY) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "%s %g is outside its range: give a number > 0",
                    crs_option_name((int)id, name), *x);
}

/* What the CP model takes and these do not. */
static bool refuse(const crs_args *a, crease_error *e)
{
    static const crs_option_id other[] = { CRS_OPT_INIT,     CRS_OPT_STARTS, CRS_OPT_NONNEG,
                                           CRS_OPT_RIDGE,    CRS_OPT_GROUPS, CRS_OPT_WEIGHTS,
                                           CRS_OPT_PRECISION };
    char name[CRS_NAME];
    for (size_t k = 0; k < sizeof other / sizeof *other; k++)
        if (crs_given(a, other[k]))
            return crs_fail(e, CREASE_UNSUPPORTED, "--model %.32s takes no option %s",
                            crs_given(a, CRS_OPT_MODEL), crs_option_name((int)other[k], name));
    return true;
}

static bool read_form(crs_tucker_job *j, crease_error *e)
{
    const char *model = crs_given(j->a, CRS_OPT_MODEL), *eta = crs_given(j->a, CRS_OPT_ETA);
    const bool tucker = strcmp(model, "tucker") == 0, convex = strcmp(model, "pcp") == 0;
    if (!tucker && !convex && strcmp(model, "matrix") != 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "--model %.64s: write cp, tucker, matrix or pcp",
                        model);
    if (eta && (tucker || convex))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "--eta goes with --model matrix only");
    j->s.form = convex ? CREASE_RPCA_CONVEX : eta ? CREASE_RPCA_BALL : CREASE_RPCA_TUCKER;
    return positive(j->a, CRS_OPT_ETA, &j->s.eta, e);
}

bool crs_tucker_options(crs_tucker_job *j, crease_error *e)
{
    const crease_space any = crease_matrix(1, 1);
    const char *missing = crs_given(j->a, CRS_OPT_MISSING);
    double threads;
    j->s = crease_tucker_rpca_default(&any, &any);
    j->run = crease_options_default();
    j->run.relative = 1;
    if (!refuse(j->a, e) || !read_form(j, e) || !crs_run_options(j->a, &j->run, e) ||
        !crs_penalty_open(crs_given(j->a, CRS_OPT_PENALTY), &j->penalty, e) ||
        !positive(j->a, CRS_OPT_ALPHA, &j->s.alpha, e) ||
        !positive(j->a, CRS_OPT_ALPHA_NOISE, &j->s.alpha_noise, e) ||
        !crs_option_integer(j->a, CRS_OPT_THREADS, 1, 256, 0, &threads, e))
        return false;
    if (missing && strcmp(missing, "nan") != 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--missing %.64s: write --missing nan, or mark entries by --mask FILE",
                        missing);
    j->s.missing = missing;
    j->s.threads = (int)threads;
    j->s.seed = (uint64_t)j->run.seed;
    j->s.eps = j->run.relative ? 0.5 * j->run.eps : 1e-8;
    j->s.passes = j->run.method == CREASE_METHOD_AUTO ? 1000 : 20;
    return true;
}

bool crs_parse_ranks(const char *text, const crease_space *shape, crease_space *ranks,
                     crease_error *e)
{
    const int d = shape->order;
    crs_array list;
    if (!crs_parse_list("--rank", text, &list, e)) return false;
    const ptrdiff_t count = crease_size(&list.shape);
    bool good = count == 1 || count == d;
    *ranks = *shape;
    for (int n = 0; good && n < d; n++) {
        const double r = list.data[count == 1 ? 0 : n];
        good = r >= 1 && r == floor(r) && r <= (double)shape->dim[n];
        if (good) ranks->dim[n] = (ptrdiff_t)r;
    }
    crs_array_free(&list);
    return good || crs_fail(e, CREASE_BAD_ARGUMENT,
                            "--rank %.64s: give one whole number, or one for each of the %d modes, "
                            "from 1 to the mode's length",
                            text, d);
}

bool crs_tucker_ranks(crs_tucker_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_RANK);
    j->s.ranks = j->s.shape;
    if (j->s.form == CREASE_RPCA_CONVEX) return true;
    if (!text || strcmp(text, "auto") == 0)
        return crease_tucker_ranks(&j->s.shape, j->data.data, &j->s.ranks, e);
    return crs_parse_ranks(text, &j->s.shape, &j->s.ranks, e);
}
