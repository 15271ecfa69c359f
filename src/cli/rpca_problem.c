/* SPDX-License-Identifier: MIT
 * rpca_problem: a Tucker or matrix model as a problem file, which crease verify and crease solve
 * read
 */
#include "cli/rpca.h"

/* {"scaled": {"alpha": a, "regularizer": {"mcp": {"lambda": l, "gamma": g}}}} */
static void put_penalty(crs_spot block, const crs_tucker_job *j, const crease_rpca_settings *s)
{
    const crs_spot scaled = crs_put_object(crs_put_object(block, "regularizer"), "scaled");
    crs_put_number(scaled, "alpha", s->alpha);
    crs_put_parameters(crs_put_object(scaled, "regularizer"), j->penalty.spec.name,
                       j->penalty.params, s->penalty.par);
}

static void put_block(crs_spot to, const crs_tucker_job *j, int i)
{
    const crease_problem *p = crease_rpca_problem(j->fit);
    const crease_rpca_settings *used = crease_rpca_used(j->fit);
    const bool convex = used->kind == CREASE_RPCA_PCP;
    crs_put_text(to, "name", p->block[i].name);
    crs_put_shape(to, "shape", &p->space[i]);
    if (convex && i == 0)
        crs_put_text(to, "regularizer", "nuclear:1");
    else if (convex)
        crs_put_number(crs_put_object(crs_put_object(to, "regularizer"), "l1"), "lambda",
                       used->alpha);
    else if (strcmp(p->block[i].name, "E") == 0)
        put_penalty(to, j, used);
    if (p->block[i].set)
        crs_put_number(crs_put_object(crs_put_object(to, "set"), "l2-ball"), "radius",
                       p->block[i].set->par[0]);
}

static void put_tucker_couplings(crs_spot list, const crs_tucker_job *j)
{
    const crease_rpca_settings *used = crease_rpca_used(j->fit);
    const crs_spot tucker = crs_put_object(crs_put_object(list, NULL), "tucker");
    const crs_spot factors = crs_put_list(tucker, "factors"), noise = crs_put_object(list, NULL);
    for (int n = 0; n < used->shape.order; n++) {
        char name[16];
        snprintf(name, sizeof name, "X%d", n + 1);
        crs_put_text(factors, NULL, name);
    }
    crs_put_text(tucker, "core", "C");
    crs_put_text(tucker, "z", "Z");
    if (crease_rpca_about(j->fit)->missing > 0) {
        const crs_spot terms = crs_put_object(crs_put_object(noise, "least_squares"), "terms");
        crs_put_text(crs_put_object(terms, "B"), "diagonal", "mask.npy");
    } else {
        const crs_spot distance = crs_put_object(noise, "squared_distance");
        crs_put_text(distance, "a", "B");
        crs_put_number(distance, "weight", 2 * used->alpha_noise);
    }
}

static void problem_document(const crs_tucker_job *j, crs_document *d)
{
    const crease_rpca_kind kind = crease_rpca_used(j->fit)->kind;
    const crease_problem *p = crease_rpca_problem(j->fit);
    const crs_spot top = crs_document_begin(d, NULL);
    crs_put_whole(top, "crease", 1);
    crs_put_text(top, "description", "robust PCA of data.npy");
    const crs_spot blocks = crs_put_list(top, "blocks");
    for (int i = 0; i < p->count; i++) put_block(crs_put_object(blocks, NULL), j, i);
    const crs_spot constraint = crs_put_object(top, "constraint");
    const crs_spot maps = crs_put_object(constraint, "maps");
    for (int i = 0; i < p->count; i++)
        if (p->block[i].map.ops) crs_put_whole(maps, p->block[i].name, 1);
    crs_put_text(constraint, "rhs", "data.npy");
    if (kind == CREASE_RPCA_TUCKER) put_tucker_couplings(crs_put_list(top, "smooth"), j);
    if (kind != CREASE_RPCA_BALL) return;
    const crs_spot product =
        crs_put_object(crs_put_object(crs_put_list(top, "smooth"), NULL), "matrix_factorization");
    crs_put_text(product, "x", "X");
    crs_put_text(product, "y", "Y");
    crs_put_text(product, "z", "Z");
}

/* mask.npy holds sqrt(2 alpha_N) W, so that the coupling is alpha_N |W o B|^2. */
bool crs_tucker_problem(crs_tucker_job *j, crease_error *e)
{
    const crease_problem *p = crease_rpca_problem(j->fit);
    const double weight = sqrt(2 * crease_rpca_used(j->fit)->alpha_noise);
    const bool partial = crease_rpca_about(j->fit)->missing > 0;
    const ptrdiff_t size = crease_size(&p->range);
    double *root = partial ? crs_doubles(size, "the mask", e) : NULL;
    crs_document d;
    if (partial && !root) return false;
    if (root) crease_rpca_read(j->fit, CREASE_RPCA_SEEN, 0, p->range.dim[0], root);
    for (ptrdiff_t k = 0; root && k < size; k++) root[k] *= weight;
    problem_document(j, &d);
    const bool done = crs_folder_array(&j->folder, "data.npy", &p->range, p->rhs, e) &&
                      (!root || crs_folder_array(&j->folder, "mask.npy", &p->range, root, e)) &&
                      crs_folder_document(&j->folder, "problem.json", &d, e);
    crs_free(root);
    crs_document_free(&d);
    return done;
}
