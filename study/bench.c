/* SPDX-License-Identifier: MIT
 * bench: suites of instances of known truth */
#define _POSIX_C_SOURCE 200809L
#include "study/bench_verb.h"

#include <unistd.h>

#include "rpca/fused/cp_fused.h"

static const crs_suite *const suites[] = { &crs_bench_hard, &crs_bench_rank, &crs_bench_alpha };
enum { SUITES = sizeof suites / sizeof *suites };

static const char *suite_at(int k) { return suites[k]->name; }

bool crs_bench_choose(const char *what, const char *text, int count, const char *(*name)(int),
                      bool *chosen, crease_error *e)
{
    for (int k = 0; k < count; k++) chosen[k] = !text;
    while (text) {
        char word[64];
        const size_t n = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : (int)sizeof word - 1, text);
        const int k = crs_find(what, word, count, name, e);
        if (k < 0) return false;
        chosen[k] = true;
        text = text[n] ? text + n + 1 : NULL;
    }
    return true;
}

bool crs_bench_append(const crs_bench *b, json_t *item, crease_error *e)
{
    return json_array_append_new(b->list, item) == 0 ||
           crs_fail(e, CREASE_NO_MEMORY, "out of memory: the document");
}

/* Options that belong to another suite are refused. */
static bool own_options(const crs_args *a, const crs_suite *s, crease_error *e)
{
    static const crs_option_id some[] = { CRS_OPT_CELLS, CRS_OPT_METHODS, CRS_OPT_ROWS };
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        bool own = !crs_given(a, some[k]);
        for (const crs_taken *t = s->takes; t->id >= 0; t++) own = own || t->id == (int)some[k];
        char name[CRS_NAME];
        if (!own)
            return crs_fail(e, CREASE_BAD_ARGUMENT, "bench %s does not take %s", s->name,
                            crs_option_name((int)some[k], name));
    }
    return true;
}

static bool options(crs_bench *b, crease_error *e)
{
    const crs_args *a = b->a;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const double all = processors < 1 ? 1 : clip((double)processors, 1, CRS_CP_MOST_THREADS);
    double instances, threads, seed;
    if (!crs_option_integer(a, CRS_OPT_INSTANCES, 1, 10000, 20, &instances, e) ||
        !crs_option_integer(a, CRS_OPT_THREADS, 1, CRS_CP_MOST_THREADS, all, &threads, e) ||
        !crs_option_integer(a, CRS_OPT_seed, 0, 0x1p53, 0, &seed, e))
        return false;
    b->seed = (uint64_t)seed;
    b->instances = (int)instances;
    b->threads = (int)threads;
    return true;
}

static bool run(const crs_args *a, crease_error *e)
{
    crs_bench b = { .a = a };
    const int k = crs_find("suite", a->word[0], SUITES, suite_at, e);
    if (k < 0 || !own_options(a, suites[k], e) || !options(&b, e)) return false;
    if (crs_given(a, CRS_OPT_JSON) && !(b.list = json_array()))
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the document");
    const bool done = suites[k]->run(&b, e);
    if (!b.list || !done) return json_decref(b.list), done;
    crs_json out = crs_json_new("bench");
    crs_json_set(&out, "suite", json_string(suites[k]->name));
    crs_json_set(&out, "instances", json_integer(b.instances));
    crs_json_set(&out, "seed", json_integer((json_int_t)b.seed));
    crs_json_set(&out, "cells", b.list);
    return crs_json_print(&out, e);
}

const crs_verb crs_bench_verb = {
    .name = "bench",
    .words = "hard|rank|alpha",
    .least = 1,
    .most = 1,
    .text = "Measure CP robust PCA on random instances of known truth.\n"
            "hard: 5, 20 and 40 % outliers of one and ten "
            "deviations of the low-rank part, a rank too large or too small, factors whose columns "
            "are alike, noise of 10 and 0 dB, order 4. The envelope learns its threshold; ADMM-g "
            "and proximal BCD take the alpha it learned; least squares has no outliers. Cells and "
            "methods are named in the table; the default is all of them, which takes hours.\n"
            "rank: is the rank of the paper's instances found, by a search that begins with R_CP + "
            "ceil(0.2 R_CP) + 2 terms and by --rank auto?\n"
            "alpha: the error with the alpha that was learned against the least on a grid from a "
            "tenth to ten times of it, on the cells of the hard suite.",
    .example = "crease bench hard --cells small-5-10x --methods envelope,mcp --instances 2",
    .takes = CRS_LIST(CRS_TAKES(CELLS), CRS_TAKES(METHODS), CRS_TAKES(ROWS), CRS_TAKES(INSTANCES),
                      CRS_TAKES(THREADS), CRS_TAKES(seed), CRS_TAKES(JSON)),
    .run = run,
};
