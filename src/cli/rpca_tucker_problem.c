/* SPDX-License-Identifier: MIT
 * rpca_tucker_problem: the model as a problem file, so that crease verify and crease solve read it
 */
#include "cli/rpca_tucker.h"

/* {"scaled": {"alpha": a, "regularizer": {"mcp": {"lambda": l, "gamma": g}}}} */
static json_t *penalty(const crease_tucker_rpca_settings *s)
{
    const crease_penalty *p = s->penalty.penalty;
    json_t *par = json_object(), *reg = json_object();
    for (int k = 0; p->params[k].name; k++)
        json_object_set_new(par, p->params[k].name, json_real(s->penalty.par[k]));
    json_object_set_new(reg, p->name, par);
    return json_pack("{s:{s:f, s:o}}", "scaled", "alpha", s->alpha, "regularizer", reg);
}

static json_t *blocks(const crs_tucker_job *j)
{
    const crease_problem *p = crease_tucker_rpca_problem(j->model);
    const crease_tucker_rpca_facts about = crease_tucker_rpca_about(j->model);
    const int sparse = crease_tucker_rpca_sparse(j->model);
    json_t *list = json_array();
    for (int i = 0; i < p->count; i++) {
        json_t *b =
            json_pack("{s:s, s:o}", "name", p->block[i].name, "shape", crs_dims(&p->space[i]));
        if (about.used.form == CREASE_RPCA_CONVEX)
            json_object_set_new(b, "regularizer",
                                i == 0 ? json_string("nuclear:1")
                                       : json_pack("{s:{s:f}}", "l1", "lambda", about.used.alpha));
        else if (i == sparse)
            json_object_set_new(b, "regularizer", penalty(&about.used));
        if (p->block[i].set)
            json_object_set_new(
                b, "set", json_pack("{s:{s:f}}", "l2-ball", "radius", p->block[i].set->par[0]));
        json_array_append_new(list, b);
    }
    return list;
}

static json_t *tucker_couplings(const crs_tucker_job *j)
{
    const crease_tucker_rpca_facts about = crease_tucker_rpca_about(j->model);
    json_t *factors = json_array(), *noise;
    for (int n = 0; n < about.used.shape.order; n++) {
        char name[16];
        snprintf(name, sizeof name, "X%d", n + 1);
        json_array_append_new(factors, json_string(name));
    }
    if (about.missing > 0)
        noise =
            json_pack("{s:{s:{s:{s:s}}}}", "least_squares", "terms", "B", "diagonal", "mask.npy");
    else
        noise = json_pack("{s:{s:s, s:f}}", "squared_distance", "a", "B", "weight",
                          2 * about.used.alpha_noise);
    return json_pack("[{s:{s:o, s:s, s:s}}, o]", "tucker", "factors", factors, "core", "C", "z",
                     "Z", noise);
}

static json_t *document(const crs_tucker_job *j)
{
    const crease_rpca_form form = crease_tucker_rpca_about(j->model).used.form;
    const crease_problem *p = crease_tucker_rpca_problem(j->model);
    json_t *maps = json_object();
    for (int i = 0; i < p->count; i++)
        if (p->block[i].map.ops) json_object_set_new(maps, p->block[i].name, json_integer(1));
    json_t *d = json_pack("{s:i, s:s, s:o, s:{s:o, s:s}}", "crease", 1, "description",
                          "robust PCA of data.npy", "blocks", blocks(j), "constraint", "maps", maps,
                          "rhs", "data.npy");
    if (form == CREASE_RPCA_TUCKER) json_object_set_new(d, "smooth", tucker_couplings(j));
    if (form == CREASE_RPCA_BALL)
        json_object_set_new(d, "smooth",
                            json_pack("[{s:{s:s, s:s, s:s}}]", "matrix_factorization", "x", "X",
                                      "y", "Y", "z", "Z"));
    return d;
}

/* mask.npy holds sqrt(2 alpha_N) W, so that the coupling is alpha_N |W o B|^2. */
bool crs_tucker_problem(const crs_tucker_job *j, crease_error *e)
{
    const crease_problem *p = crease_tucker_rpca_problem(j->model);
    const char *folder = j->folder.beside;
    const double *root = crease_tucker_rpca_weights(j->model);
    return crs_write_array(folder, "data.npy", &p->range, p->rhs, e) &&
           (!root || crs_write_array(folder, "mask.npy", &p->range, root, e)) &&
           crs_write_document(folder, "problem.json", document(j), e);
}
