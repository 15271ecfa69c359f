/* SPDX-License-Identifier: MIT
 * factor_refusals: blocks and shapes that do not fit are refused with a sentence that names the
 * block and the dimension */
#include "support/couplings.h"

static void refused(problem *p, crease_code code, const char *words)
{
    crease_error e = { CREASE_OK, "" };
    assert_false(p->f.ops->check(&p->f, &p->b, &e));
    assert_false(p->f.ops->check(&p->f, &p->b, NULL));
    assert_int_equal(e.code, code);
    if (!strstr(e.text, words)) fail_msg("\"%s\" does not say \"%s\"", e.text, words);
    assert_non_null(strstr(e.text, p->f.ops->name));
}

static void wrong_blocks(problem *p, draws *d)
{
    const int last = p->shape.order - 1, kept = p->factor[last], z = p->cp.z;
    crease_space *s = p->space + p->factor[0], right = *s;
    (void)d;
    assert_true(p->f.ops->check(&p->f, &p->b, NULL));

    s->dim[0] = 7; /* a factorization takes its size from X and Y */
    if (p->kind != MF) refused(p, CREASE_BAD_SHAPE, "dimension 1 of block");
    *s = (crease_space){ .order = 3, .dim = { right.dim[0], 2, 2 } };
    refused(p, CREASE_BAD_SHAPE, "has 3 dimensions");
    *s = right;
    s->comm = &(const crease_comm){ 0 };
    refused(p, CREASE_UNSUPPORTED, "is split over ranks");
    *s = right;

    p->factor[last] = p->b.count;
    set_coupling(p, z);
    refused(p, CREASE_BAD_ARGUMENT, "the problem has blocks 1 to");
    p->factor[last] = -1;
    set_coupling(p, z);
    refused(p, CREASE_BAD_ARGUMENT, "is block 0");
    p->factor[last] = p->factor[0];
    set_coupling(p, z);
    refused(p, CREASE_BAD_ARGUMENT, "is both");
    p->factor[last] = kept;
    set_coupling(p, z);
}

static void blocks(void **state) { (void)state, for_all(wrong_blocks, 1); }

static void wrong_tensors(problem *p, draws *d)
{
    double *kept = p->target;
    (void)d;
    if (p->kind != MULTILINEAR && p->cp.z >= 0) {
        p->space[0].dim[1]++;
        refused(p, CREASE_BAD_SHAPE, "dimension 2 of block 1 (Z)");
        p->space[0].dim[1]--;
        set_coupling(p, p->b.count);
        refused(p, CREASE_BAD_ARGUMENT, "Z is block");
        return;
    }
    kept[1] = INFINITY;
    refused(p, CREASE_BAD_DATA, "entry 2 of the tensor is inf");
    p->target = NULL;
    set_coupling(p, -1);
    refused(p, CREASE_BAD_ARGUMENT, "there is no tensor");
    p->target = kept;
    if (p->kind == MF) return;
    p->shape.order = 1;
    set_coupling(p, -1);
    refused(p, CREASE_BAD_SHAPE, "1 dimension");
}

static void tensors(void **state) { (void)state, for_all(wrong_tensors, 2); }

static void wrong_numbers(void **state)
{
    draws d = { { 3, 0 }, 0 };
    problem p;
    (void)state;
    make_problem(&p, CP, 3, true, &d);
    p.cp.rank = 0;
    refused(&p, CREASE_BAD_ARGUMENT, "the rank is 0");
    p.cp.rank = 3;
    refused(&p, CREASE_BAD_SHAPE, "dimension 2 of block 4 (factor 1) is 2; it must be 3");
    p.cp.rank = 2, p.cp.shape.dim[1] = (ptrdiff_t)1 << 31;
    refused(&p, CREASE_BAD_SHAPE, "dimension 2 of the tensor");
    discard_problem(&p);

    make_problem(&p, TUCKER, 3, true, &d);
    p.tucker.core_shape.order = 2;
    refused(&p, CREASE_BAD_SHAPE, "the core has 2 dimensions and the tensor 3");
    p.tucker.core_shape.order = 3, p.tucker.core_shape.dim[2] = 5;
    refused(&p, CREASE_BAD_SHAPE, "dimension 2 of block 2 (factor 3) is 2; it must be 5");
    p.tucker.core_shape.dim[2] = (ptrdiff_t)1 << 25;
    refused(&p, CREASE_BAD_SHAPE, "dimension 3 of the core");
    p.tucker.core_shape.dim[2] = 2;
    p.tucker.shape = (crease_space){ .order = 3, .dim = { 2, 1 << 16, 1 << 16 } };
    refused(&p, CREASE_BAD_SHAPE, "a slice of the first dimension");
    p.tucker.shape = p.shape, p.space[4].dim[0]++;
    refused(&p, CREASE_BAD_SHAPE, "dimension 1 of block 5 (core)");
    discard_problem(&p);

    make_problem(&p, MULTILINEAR, 3, false, &d);
    p.multilinear.weight = NAN;
    refused(&p, CREASE_BAD_ARGUMENT, "the weight is nan");
    discard_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks),
        cmocka_unit_test(tensors),
        cmocka_unit_test(wrong_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
