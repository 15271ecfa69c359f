/* SPDX-License-Identifier: MIT
 * spca_report: the components as text, arrays, result.json and certificate.json */
#include "cli/spca.h"

/* Entries of column k of factor n that are not 0. */
static ptrdiff_t support_of(const crs_spca_job *j, int n, int k)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t i = 0; i < j->s.shape.dim[n]; i++)
        count += j->factor[n][i * j->components + k] != 0;
    return count;
}

static void print_component(const crs_spca_job *j, int k)
{
    const crease_spca_component *c = &j->component[k];
    const double part = j->norm > 0 ? 1 - square(c->norm / j->norm) : 0;
    printf("component %d %s: ", k + 1, crease_verdict_text(c->verdict));
    if (c->zero) {
        printf("%d starts ended at 0 with alpha %.6g%s\n", c->starts, c->alpha,
               j->norm > 0 ? "; lower --alpha to find more" : ": the data are zero");
        return;
    }
    printf("sigma %.6g, nonzeros", c->sigma);
    for (int n = 0; n < j->s.shape.order; n++)
        printf("%s%td of %td", n ? ", " : " ", support_of(j, n, k), j->s.shape.dim[n]);
    printf(", alpha %.6g, explained %.4g, %d of %d starts agree\n", c->alpha, part, c->agree,
           c->starts);
}

void crs_spca_print(const crs_spca_job *j)
{
    const crease_spca_component *c = &j->component[0];
    long iterations = 0;
    double seconds = 0;
    for (int k = 0; k < j->run; k++) {
        print_component(j, k);
        iterations += j->component[k].iterations;
        seconds += j->component[k].seconds;
    }
    if (j->stopped)
        printf("stopped     after %d of %td components, which is what the folder holds\n", j->run,
               j->components);
    printf("method      %s, %s mode\n", crease_method_name(c->method), crease_mode_name(j->o.mode));
    printf("guarantee   %s\n", c->theorem ? c->theorem : "none");
    printf("iterations  %ld in %.3g s\n", iterations, seconds);
    printf("result      %s\n", crs_given(j->a, CRS_OPT_OUT));
}

/* "x_2.npy" */
static bool write_modes(crs_spca_job *j, const char *what, double *const *x, crease_error *e)
{
    char name[32];
    for (int n = 0; n < j->s.shape.order; n++) {
        const crease_space s = crease_matrix(j->s.shape.dim[n], j->components);
        snprintf(name, sizeof name, "%s_%d.npy", what, n + 1);
        if (!crs_folder_array(&j->folder, name, &s, x[n], e)) return false;
    }
    return true;
}

static bool write_certificate(crs_spca_job *j, crease_error *e)
{
    crs_document d;
    const crs_spot top = crs_certificate_begin(&d, "spca", "spca", j->o.eps, j->o.relative != 0);
    crs_put_data(crs_put_list(top, "data"), &j->folder, "data", j->a->word[0], &j->s.shape,
                 j->hash);
    crs_put_text(top, "penalty", j->penalty_text);
    crs_put_text(top, "measure", j->component[0].method == CREASE_METHOD_GCG ? "gap" : "blocks");
    const crs_spot list = crs_put_list(top, "alpha");
    for (int k = 0; k < j->run; k++) crs_put_exact(list, NULL, j->component[k].alpha);
    const bool done = crs_folder_document(&j->folder, "certificate.json", &d, e);
    crs_document_free(&d);
    return done;
}

bool crs_spca_write(crs_spca_job *j, crease_error *e)
{
    const crease_space numbers = crease_vector(j->components);
    return write_modes(j, "factor", j->factor, e) && write_modes(j, "x", j->point, e) &&
           crs_folder_array(&j->folder, "weights.npy", &numbers, j->weight, e) &&
           crs_folder_array(&j->folder, "residual_norms.npy", &numbers, j->left, e) &&
           write_certificate(j, e);
}

static void put_component(const crs_spca_job *j, int k, crs_spot to)
{
    const crease_spca_component *c = &j->component[k];
    crs_put_number(to, "sigma", c->sigma);
    crs_put_number(to, "alpha", c->alpha);
    crs_put_number(to, "objective", c->objective);
    crs_put_number(to, "residual_norm", c->norm);
    const crs_spot support = crs_put_list(to, "nonzeros");
    for (int n = 0; n < j->s.shape.order; n++) crs_put_whole(support, NULL, support_of(j, n, k));
    crs_put_numbers(to, "lengths", j->s.shape.order, c->length);
    crs_put_flag(to, "zero", c->zero);
    crs_put_text(to, "status", crease_outcome_text(c->outcome));
    crs_put_whole(to, "starts", c->starts);
    crs_put_whole(to, "kept_start", c->start);
    crs_put_whole(to, "agree", c->agree);
    crs_put_whole(to, "iterations", c->iterations);
    crs_put_number(to, "seconds", c->seconds);
    const crs_spot certificate = crs_put_object(to, "certificate");
    crs_put_text(certificate, "verdict", crease_verdict_text(c->verdict));
    crs_put_number(certificate, "smallest_eps", c->smallest_eps);
    crs_put_number(certificate, "eps", c->eps);
    crs_put_flag(certificate, "relative", j->o.relative != 0);
    crs_put_text(certificate, "measure",
                 c->method == CREASE_METHOD_GCG ? "-psi_S" : "gap of every block");
    crs_put_text(certificate, "theorem", c->theorem ? c->theorem : "none");
}

static void put_settings(const crs_spca_job *j, crs_spot to)
{
    const bool given = j->s.alpha > 0, noisy = !given && j->s.threshold > 0;
    crs_put_text(to, "penalty", j->penalty_text);
    if (given)
        crs_put_number(to, "alpha", j->s.alpha);
    else
        crs_put_text(to, "alpha", noisy ? "noise" : "auto");
    crs_put_number(to, "fraction", given || noisy ? NAN : j->s.fraction);
    crs_put_number(to, "threshold", noisy ? j->s.threshold : NAN);
    crs_put_whole(to, "components", j->components);
    crs_put_whole(to, "starts", j->s.starts);
    crs_put_text(to, "mode", crease_mode_name(j->o.mode));
    crs_put_whole(to, "seed", (long long)j->s.seed);
}

void crs_spca_result(const crs_spca_job *j, crs_document *d)
{
    const crease_spca_component *c = &j->component[j->worst];
    crs_summary s = { .verb = "spca",
                      .model = "spca",
                      .outcome = c->outcome,
                      .verdict = crease_verdict_text(c->verdict),
                      .exit_status = j->exit_status,
                      .method = crease_method_name(c->method),
                      .objective = j->component[0].objective,
                      .residual = c->smallest_eps,
                      .eps = j->o.eps,
                      .relative = j->o.relative != 0,
                      .passes = -1,
                      .evaluations = -1 };
    char text[80];
    snprintf(text, sizeof text, "component %d decides", j->worst + 1);
    s.verdict_text = text;
    for (int k = 0; k < j->run; k++) {
        s.iterations += j->component[k].iterations;
        s.seconds += j->component[k].seconds;
    }
    const double left = j->component[j->run - 1].norm;
    const crs_result r = crs_result_begin(d, &s);
    crs_put_data(r.data, &j->folder, "data", j->a->word[0], &j->s.shape, j->hash);
    put_settings(j, r.settings);
    crs_put_flag(r.details, "stopped", j->stopped);
    crs_put_shape(r.details, "shape", &j->s.shape);
    crs_put_number(r.details, "norm", j->norm);
    crs_put_number(r.details, "explained", j->norm > 0 ? 1 - square(left / j->norm) : 0);
    const crs_spot list = crs_put_list(r.details, "components");
    for (int k = 0; k < j->run; k++) put_component(j, k, crs_put_object(list, NULL));
}
