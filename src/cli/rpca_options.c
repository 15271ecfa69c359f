/* SPDX-License-Identifier: MIT
 * rpca_options: what the command line says about the model and the run */
#include "cli/rpca.h"

static bool set_option(crs_rpca_job *j, int id, const char *name, crease_error *e)
{
    const char *text = j->a->value[id][0];
    return !text || crease_options_set(&j->o, name, text, e);
}

static bool run_options(crs_rpca_job *j, crease_error *e)
{
    j->o = crease_options_default();
    j->o.relative = 1;
    bool done =
        set_option(j, CRS_OPT_METHOD, "method", e) && set_option(j, CRS_OPT_MODE, "mode", e);
#define X(type, name, value, low, high, text)                                                      \
    done = done && set_option(j, CRS_OPT_##name, #name, e);
    CREASE_OPTIONS(X)
#undef X
    if (!done) return false;
    const crease_method m = j->o.method;
    j->s.unconstrained = m == CREASE_METHOD_BCD || m == CREASE_METHOD_PROX_BCD;
    return (m != CREASE_METHOD_GCG && m != CREASE_METHOD_EXTENSION) ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "--method %s does not suit this model; use auto, admm-g, admm-m, prox-bcd or "
                    "bcd",
                    crease_method_name(m));
}

/* The recipe of the paper's section 5, where the command line does not say otherwise. */
static void paper_options(crs_rpca_job *j)
{
    const crs_args *a = j->a;
    const bool g = j->o.method == CREASE_METHOD_ADMM_G || j->o.method == CREASE_METHOD_AUTO;
    if (j->o.mode != CREASE_MODE_PAPER) return;
    j->paper = true;
    if (g) j->o.method = CREASE_METHOD_ADMM_G;
    j->o.mode = CREASE_MODE_PRACTICAL; /* the parameters below are the recipe */
    j->o.accelerate = 0;
    if (!crs_given(a, CRS_OPT_beta)) j->o.beta = j->s.unconstrained ? 0 : g ? 4 : 5;
    if (!crs_given(a, CRS_OPT_h) && j->o.method != CREASE_METHOD_BCD) j->o.h = 2;
    if (!crs_given(a, CRS_OPT_theta)) j->o.theta = 1e-6;
    if (!crs_given(a, CRS_OPT_max_iterations)) j->o.max_iterations = 2000;
    if (!crs_given(a, CRS_OPT_INIT)) j->s.start = CREASE_START_RANDOM;
    j->s.z = CREASE_Z_ONES;
}

/* "l1" stands for "l1:1": a penalty with one parameter is scaled by --alpha. */
static bool open_penalty(crs_rpca_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_PENALTY);
    char whole[80];
    if (!text) text = "l1";
    for (int k = 0; k < crease_reg_count(); k++) {
        const crease_reg_entry *entry = crease_reg_at(k);
        if (strcmp(entry->name, text) != 0 || crease_param_count(crease_reg_params(entry)) != 1)
            continue;
        snprintf(whole, sizeof whole, "%s:1", text);
        text = whole;
        break;
    }
    return crs_reg_open(text, &j->penalty, e);
}

/* "fibres:2" or "slices:0" */
static bool read_groups(crs_rpca_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_GROUPS), *number = text ? strchr(text, ':') : NULL;
    double axis;
    if (!text || text[0] == '@' || crs_is_list(text)) return true;
    const bool fibres = strncmp(text, "fibres:", 7) == 0, slices = strncmp(text, "slices:", 7) == 0;
    if (!fibres && !slices) return true;
    if (!crs_parse_double(number + 1, &axis) || !(axis >= 0 && axis < CREASE_MAX_ORDER) ||
        axis != floor(axis))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--groups %.64s: the axis is not a whole number from 0 to %d", text,
                        CREASE_MAX_ORDER - 1);
    j->s.groups = fibres ? CREASE_GROUPS_FIBRES : CREASE_GROUPS_SLICES;
    j->s.axis = (int)axis;
    return true;
}

static bool number(const crs_rpca_job *j, crs_option_id id, bool zero, double *x, crease_error *e)
{
    char name[CRS_NAME];
    if (!crs_given(j->a, id)) return true;
    if (!crs_option_number(j->a, id, 0, x, e)) return false;
    return (*x < INFINITY && (*x > 0 || (zero && *x == 0))) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "%s %g is outside its range: give a number %s",
                    crs_option_name((int)id, name), *x, zero ? ">= 0" : "> 0");
}

int crs_rpca_init_named(const char *text)
{
    static const char *const name[] = {
#define X(id, text, meaning) text,
        CREASE_CP_STARTS(X)
#undef X
    };
    for (int k = 0; k < (int)(sizeof name / sizeof *name); k++)
        if (strcmp(text, name[k]) == 0) return k;
    return -1;
}

static bool read_init(crs_rpca_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_INIT), *missing = crs_given(j->a, CRS_OPT_MISSING);
    const int named = text ? crs_rpca_init_named(text) : -1;
    if (named >= 0) j->s.start = (crease_cp_start)named;
    if (missing && strcmp(missing, "nan") != 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--missing %.64s: write --missing nan, or mark entries by --mask FILE",
                        missing);
    j->s.missing = missing;
    return true;
}

bool crs_rpca_options(crs_rpca_job *j, crease_error *e)
{
    const crease_space any = { .order = 2, .dim = { 1, 1 } };
    double rank;
    j->s = crease_cp_rpca_default(&any, 1);
    if (!run_options(j, e) || !open_penalty(j, e) || !read_groups(j, e) || !read_init(j, e) ||
        !crs_option_integer(j->a, CRS_OPT_RANK, 1, 1 << 24, 0, &rank, e) ||
        !number(j, CRS_OPT_ALPHA, false, &j->s.alpha, e) ||
        !number(j, CRS_OPT_ALPHA_NOISE, false, &j->s.alpha_noise, e) ||
        !number(j, CRS_OPT_RIDGE, true, &j->s.ridge, e))
        return false;
    j->s.rank = (ptrdiff_t)rank;
    j->s.nonneg = crs_given(j->a, CRS_OPT_NONNEG);
    j->s.seed = (uint64_t)j->o.seed;
    paper_options(j);
    return true;
}
