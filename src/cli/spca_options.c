/* SPDX-License-Identifier: MIT
 * spca_options: what the command line says about sparse PCA */
#include "cli/spca.h"

/* A number > 0, auto, auto:FRACTION, noise or noise:TIMES */
static bool read_alpha(crs_spca_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_ALPHA);
    if (!text || strcmp(text, "auto") == 0) return true;
    if (strcmp(text, "noise") == 0) return j->noise_times = 4, true;
    if (strncmp(text, "noise:", 6) == 0)
        return (crs_parse_double(text + 6, &j->noise_times) && j->noise_times > 0 &&
                j->noise_times < INFINITY) ||
               crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--alpha %.64s: how many times the noise must be a number > 0, as noise:4",
                        text);
    if (strncmp(text, "auto:", 5) == 0)
        return (crs_parse_double(text + 5, &j->s.fraction) && j->s.fraction > 0 &&
                j->s.fraction < 1) ||
               crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--alpha %.64s: the fraction must be a number between 0 and 1, as auto:0.2",
                        text);
    return (crs_parse_double(text, &j->s.alpha) && j->s.alpha > 0 && j->s.alpha < INFINITY) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "--alpha %.64s is outside its range: give a number > 0, auto, auto:F, noise or "
                    "noise:Z",
                    text);
}

static bool read_penalty(crs_spca_job *j, crease_error *e)
{
    if (!crs_penalty_open(crs_given(j->a, CRS_OPT_PENALTY), &j->penalty, e)) return false;
    const crease_reg_ops *ops = j->penalty.reg.ops;
    if (ops->vector || crs_reg_wants_groups(ops) || crs_reg_wants_matrix(ops))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "--penalty %s does not fit vectors of every length, as sparse PCA needs; "
                        "use l1, l0, mcp, scad, lsp, elastic-net or huber",
                        j->penalty.spec.name);
    j->s.penalty = j->penalty.reg;
    return true;
}

bool crs_spca_options(crs_spca_job *j, crease_error *e)
{
    const crease_space any = crease_matrix(1, 1);
    double components, starts;
    j->s = crease_spca_default(&any);
    j->s.fraction = 0; /* by the order of the data */
    j->o = crease_options_default();
    j->o.relative = 1;
    if (!crs_run_options(j->a, &j->o, e) || !read_penalty(j, e) || !read_alpha(j, e) ||
        !crs_option_integer(j->a, CRS_OPT_COMPONENTS, 1, 1 << 20, 1, &components, e) ||
        !crs_option_integer(j->a, CRS_OPT_STARTS, 1, 1e6, 10, &starts, e))
        return false;
    if (j->o.method != CREASE_METHOD_AUTO && j->o.method != CREASE_METHOD_PROX_BCD &&
        j->o.method != CREASE_METHOD_GCG)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "--method %s does not suit sparse PCA, which has no constraint; use "
                        "prox-bcd or gcg",
                        crease_method_name(j->o.method));
    j->components = (ptrdiff_t)components;
    j->s.starts = (int)starts;
    j->s.seed = (uint64_t)j->o.seed;
    return true;
}
