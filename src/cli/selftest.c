/* SPDX-License-Identifier: MIT
 * selftest: every catalogue entry against its definition, on this machine */
#include "cli/cli.h"

#include "selftest/selftest.h"

static bool (*const tests[CRS_KINDS])(int, long, uint64_t, crs_report *,
                                      crease_error *) = { crs_selftest_reg, crs_selftest_set,
                                                          crs_selftest_map, crs_selftest_smooth };

/* How near an error is to its limit; NaN is beyond everything. */
static double ratio(const crs_check *c)
{
    return c->worst == 0 ? 0 : isnan(c->worst) ? INFINITY : c->worst / c->limit;
}

static const crs_check *worst_of(const crs_report *r)
{
    const crs_check *worst = r->count > 0 ? r->check : NULL;
    for (int k = 1; k < r->count; k++)
        if (ratio(&r->check[k]) > ratio(worst)) worst = &r->check[k];
    return worst;
}

static void print_table(const crs_report *all, int count)
{
    crs_print("%-11s %-21s %5s %8s %8s  %-31s %s\n", "catalogue", "entry", "tests", "worst",
              "limit", "property", "result");
    for (int k = 0; k < count; k++) {
        const crs_check *c = worst_of(&all[k]);
        crs_print("%-11s %-21s %5d %8.1e %8.1e  %-31s %s\n", all[k].kind, all[k].name, all[k].count,
                  c ? c->worst : 0, c ? c->limit : 0, c ? c->what : "nothing was tested",
                  crs_report_passed(&all[k]) ? "ok" : "FAILED");
    }
}

static bool print_json(const crs_report *all, int count, double trials, double seed,
                       crease_error *e)
{
    crs_document d;
    const crs_spot top = crs_document_begin(&d, "selftest");
    crs_put_whole(top, "trials", (long long)trials);
    crs_put_whole(top, "seed", (long long)seed);
    const crs_spot list = crs_put_list(top, "entries");
    for (int k = 0; k < count; k++) {
        const crs_spot entry = crs_put_object(list, NULL);
        crs_put_text(entry, "kind", all[k].kind);
        crs_put_text(entry, "name", all[k].name);
        crs_put_flag(entry, "passed", crs_report_passed(&all[k]));
        const crs_spot checks = crs_put_list(entry, "checks");
        for (int n = 0; n < all[k].count; n++) {
            const crs_check *c = &all[k].check[n];
            const crs_spot check = crs_put_object(checks, NULL);
            crs_put_text(check, "property", c->what);
            crs_put_number(check, "worst", c->worst);
            crs_put_number(check, "limit", c->limit);
            crs_put_whole(check, "trials", c->trials);
        }
    }
    return crs_document_print(&d, true, e);
}

/* Fills all[] with one report an entry. */
static bool run_tests(int first, int last, long trials, uint64_t seed, crs_report *all,
                      crease_error *e)
{
    for (int kind = first, at = 0; kind <= last; kind++)
        for (int k = 0; k < crs_kind_size(kind); k++, at++)
            if (!tests[kind](k, trials, seed, &all[at], e)) return false;
    return true;
}

static bool judge(const crs_report *all, int count, crease_error *e)
{
    const crs_report *first = NULL;
    int failed = 0;
    for (int k = 0; k < count; k++) {
        if (crs_report_passed(&all[k])) continue;
        first = first ? first : &all[k];
        failed++;
    }
    return !failed || crs_fail(e, CREASE_NUMERICAL_FAILURE,
                               "%d of %d entries failed, first '%s'; report the table and your "
                               "machine's BLAS",
                               failed, count, first->name);
}

static bool run(const crs_args *a, crease_error *e)
{
    int first = CRS_REGULARIZERS, last = CRS_SMOOTH;
    double trials, seed;
    int count = 0;
    if (!crs_option_integer(a, CRS_OPT_TRIALS, 1, 1e6, 20, &trials, e) ||
        !crs_option_integer(a, CRS_OPT_seed, 0, 0x1p53, 0, &seed, e))
        return false;
    if (a->count == 1 && (first = last = crs_kind_find(a->word[0], e)) == CRS_KINDS) return false;
    for (int kind = first; kind <= last; kind++) count += crs_kind_size(kind);
    crs_report *all = crs_alloc((size_t)count, sizeof *all);
    if (!all) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %d reports", count);
    bool done = run_tests(first, last, (long)trials, (uint64_t)seed, all, e);
    if (done && crs_given(a, CRS_OPT_JSON))
        done = print_json(all, count, trials, seed, e);
    else if (done)
        print_table(all, count);
    done = done && judge(all, count, e);
    crs_free(all);
    return done;
}

const crs_verb crs_selftest_verb = {
    .name = "selftest",
    .words = "[CATALOGUE]",
    .word = CRS_KIND_ONE_OF("regularizers|sets|maps|smooth"),
    .most = 1,
    .text = "Check every entry against its definition. The catalogues are regularizers, sets, maps "
            "and smooth. Random instances are drawn, every property is measured, and of each entry "
            "the property that came nearest to its limit is shown with its worst error.",
    .example = "crease selftest sets --trials 5",
    .takes = CRS_LIST(CRS_TAKES(TRIALS), CRS_TAKES(seed), CRS_TAKES(JSON)),
    .run = run,
};
