/* SPDX-License-Identifier: MIT
 * rpca_options: what the command line says about the model and the run */
#include "cli/rpca.h"

static bool run_options(crs_rpca_job *j, crease_error *e)
{
    const bool done = crs_run_options(j->a, &j->s.run, e);
    const crease_method m = j->s.run.method;
    return done && ((m != CREASE_METHOD_GCG && m != CREASE_METHOD_EXTENSION) ||
                    crs_fail(e, CREASE_UNSUPPORTED,
                             "--method %s does not suit this model; use auto, envelope, admm-g, "
                             "admm-m, prox-bcd or bcd",
                             crease_method_name(m)));
}

static bool machine_options(crs_rpca_job *j, crease_error *e)
{
    const char *precision = crs_given(j->a, CRS_OPT_PRECISION);
    double threads;
    if (!crs_option_integer(j->a, CRS_OPT_THREADS, 1, 256, 0, &threads, e)) return false;
    j->s.threads = (int)threads;
    j->s.single = precision && strcmp(precision, "single") == 0;
    return !precision || j->s.single || strcmp(precision, "double") == 0 ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "--precision %.64s: write double or single", precision);
}

/* "fibres:2" or "slices:0" */
bool crs_rpca_groups(const char *text, crease_cp_rpca_settings *s, crease_error *e)
{
    const char *number = text ? strchr(text, ':') : NULL;
    double axis;
    if (!text || text[0] == '@' || crs_is_list(text)) return true;
    const bool fibres = strncmp(text, "fibres:", 7) == 0, slices = strncmp(text, "slices:", 7) == 0;
    if (!fibres && !slices) return true;
    if (!crs_parse_double(number + 1, &axis) || !(axis >= 0 && axis < CREASE_MAX_ORDER) ||
        axis != floor(axis))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--groups %.64s: the axis is not a whole number from 0 to %d", text,
                        CREASE_MAX_ORDER - 1);
    s->groups = fibres ? CREASE_GROUPS_FIBRES : CREASE_GROUPS_SLICES;
    s->axis = (int)axis;
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

/* "gevd", or "gevd-clipped" for a start from clipped data */
bool crs_rpca_init(const char *text, crease_cp_rpca_settings *s)
{
    static const char *const name[] = {
#define X(id, name, meaning) #name,
        CREASE_CP_STARTS(X)
#undef X
    };
    for (int k = 0; k < (int)(sizeof name / sizeof *name); k++) {
        const size_t length = strlen(name[k]);
        const bool cuts = k != CREASE_START_AUTO && k != CREASE_START_RANDOM;
        if (strncmp(text, name[k], length) != 0) continue;
        const bool clipped = cuts && strcmp(text + length, "-clipped") == 0;
        if (text[length] && !clipped) continue;
        if (s) s->start = (crease_cp_start)k, s->clip = clipped ? 2 : 0;
        return true;
    }
    return false;
}

static bool read_init(crs_rpca_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_INIT), *missing = crs_given(j->a, CRS_OPT_MISSING);
    if (text) crs_rpca_init(text, &j->s.model);
    if (missing && strcmp(missing, "nan") != 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--missing %.64s: write --missing nan, or mark entries by --mask FILE",
                        missing);
    j->s.model.missing = missing;
    return true;
}

/* A whole number, or auto. */
static bool read_rank(crs_rpca_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_RANK);
    double rank = 0;
    if (text && strcmp(text, "auto") != 0 &&
        !crs_option_integer(j->a, CRS_OPT_RANK, 1, 1 << 24, 0, &rank, e))
        return false;
    j->s.model.rank = (ptrdiff_t)rank;
    return true;
}

/* Without a number the envelope learns a threshold; the other methods take the paper's alpha. */
static bool read_alpha(crs_rpca_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_ALPHA);
    const crease_method m = j->s.run.method;
    const bool learns = j->s.run.mode == CREASE_MODE_PRACTICAL &&
                        (m == CREASE_METHOD_AUTO || m == CREASE_METHOD_ENVELOPE);
    if (text && strcmp(text, "auto") == 0 && !learns)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "--alpha auto is for the envelope method; give a number, or leave it out");
    if (text && strcmp(text, "auto") != 0)
        return number(j, CRS_OPT_ALPHA, false, &j->s.model.alpha, e);
    j->s.learn = learns ? 3 : 0;
    return true;
}

static bool read_starts(crs_rpca_job *j, crease_error *e)
{
    double starts;
    if (!crs_option_integer(j->a, CRS_OPT_STARTS, 1, 1000, 0, &starts, e)) return false;
    j->s.starts = (int)starts;
    return true;
}

bool crs_rpca_options(crs_rpca_job *j, crease_error *e)
{
    const crease_space any = { .order = 2, .dim = { 1, 1 } };
    crease_cp_rpca_settings *m = &j->s.model;
    j->s = crease_cp_fit_default(&any, 1);
    if (!run_options(j, e) || !machine_options(j, e) ||
        !crs_penalty_open(crs_given(j->a, CRS_OPT_PENALTY), &j->penalty, e) ||
        !crs_rpca_groups(crs_given(j->a, CRS_OPT_GROUPS), m, e) || !read_init(j, e) ||
        !read_rank(j, e) || !read_alpha(j, e) || !read_starts(j, e) ||
        !number(j, CRS_OPT_ALPHA_NOISE, false, &m->alpha_noise, e) ||
        !number(j, CRS_OPT_RIDGE, true, &m->ridge, e))
        return false;
    m->nonneg = crs_given(j->a, CRS_OPT_NONNEG);
    m->seed = (uint64_t)j->s.run.seed;
    return true;
}
