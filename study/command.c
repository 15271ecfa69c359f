/* SPDX-License-Identifier: MIT
 * command: the command line of crease-study by its tables of options and verbs, and its documents
 */
#include "core/parallel.h"
#include "rpca/fused/fused.h"
#include "study/study.h"

enum { WIDTH = 100, NAME = 64, SCHEMA_VERSION = 1 };

static const struct {
    const char *name, *values, *text;
} options[] = {
#define X(id, name, values, text) { name, values, text },
    CRS_STUDY_OPTION_LIST(X)
#undef X
};

static const char *option_at(int k) { return options[k].name; }

static bool takes(const crs_study_verb *v, int k)
{
    const unsigned common = CRS_STUDY_TAKES(INSTANCES) | CRS_STUDY_TAKES(THREADS) |
                            CRS_STUDY_TAKES(SEED) | CRS_STUDY_TAKES(JSON) | CRS_STUDY_TAKES(HELP);
    return ((v->takes | common) >> k) & 1u;
}

static int find_option(const crs_study_verb *v, const char *name, crease_error *e)
{
    const int k = crs_find("option", name, CRS_STUDY_OPTIONS, option_at, e);
    if (k < 0 || takes(v, k)) return k;
    crs_fail(e, CREASE_BAD_ARGUMENT,
             "%s does not take %s; 'crease-study %s --help' shows its "
             "options",
             v->name, name, v->name);
    return -1;
}

/* The option at argv[*k], with its value; *k moves to that. */
static bool take_option(crs_study *s, int argc, char **argv, int *k, crease_error *e)
{
    char name[NAME];
    const char *word = argv[*k];
    const size_t n = strcspn(word, "=");
    const char *value = word[n] ? word + n + 1 : NULL;
    snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : NAME - 1, word);
    const int id = find_option(s->verb, name, e);
    if (id < 0) return false;
    if (s->value[id]) return crs_fail(e, CREASE_BAD_ARGUMENT, "%s is given twice", name);
    if (!options[id].values[0]) {
        s->value[id] = option_at(id);
        return !value || crs_fail(e, CREASE_BAD_ARGUMENT, "%s takes no value", name);
    }
    if (!value && *k + 1 < argc) value = argv[++*k];
    s->value[id] = value;
    return value || crs_fail(e, CREASE_BAD_ARGUMENT, "%s lacks a value; write %s %s", name, name,
                             options[id].values);
}

bool crs_study_integer(const crs_study *s, crs_study_option id, double low, double high,
                       double otherwise, double *x, crease_error *e)
{
    const char *text = s->value[id];
    *x = otherwise;
    if (!text) return true;
    if (!crs_parse_double(text, x))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "%s: '%.64s' is not a number", option_at((int)id),
                        text);
    return (*x >= low && *x <= high && *x == floor(*x)) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "%s = %g is outside its range: give an integer in [%g, %g]", option_at((int)id),
                    *x, low, high);
}

static bool common_options(crs_study *s, crease_error *e)
{
    const double all = clip(crs_threads(), 1, CRS_CP_MOST_THREADS);
    double instances, threads, seed;
    if (!crs_study_integer(s, CRS_STUDY_INSTANCES, s->verb->least, 10000, 20, &instances, e) ||
        !crs_study_integer(s, CRS_STUDY_THREADS, 1, CRS_CP_MOST_THREADS, all, &threads, e) ||
        !crs_study_integer(s, CRS_STUDY_SEED, 0, 0x1p53, 0, &seed, e))
        return false;
    s->instances = (int)instances;
    s->threads = (int)threads;
    s->seed = (uint64_t)seed;
    return true;
}

static bool begin_document(crs_study *s, crease_error *e)
{
    s->document = json_object();
    s->cells = json_array();
    return crs_study_set(s, "schema_version", json_integer(SCHEMA_VERSION), e) &&
           crs_study_set(s, "verb", json_string(s->verb->name), e) &&
           crs_study_set(s, "instances", json_integer(s->instances), e) &&
           crs_study_set(s, "threads", json_integer(s->threads), e) &&
           crs_study_set(s, "seed", json_integer((json_int_t)s->seed), e) &&
           crs_study_set(s, "cells", json_incref(s->cells), e);
}

bool crs_study_begin(crs_study *s, int argc, char **argv, crease_error *e)
{
    for (int k = 0; k < argc; k++) {
        if (strncmp(argv[k], "--", 2) != 0)
            return crs_fail(e, CREASE_BAD_ARGUMENT, "unexpected argument '%.64s'", argv[k]);
        if (!take_option(s, argc, argv, &k, e)) return false;
    }
    if (s->value[CRS_STUDY_HELP]) return true;
    return common_options(s, e) && (!s->value[CRS_STUDY_JSON] || begin_document(s, e));
}

bool crs_study_end(crs_study *s, bool done, crease_error *e)
{
    if (done && s->document)
        done =
            (json_dumpf(s->document, stdout, JSON_REAL_PRECISION(17)) == 0 && putchar('\n') > 0) ||
            crs_fail(e, CREASE_IO, "the document cannot be written");
    json_decref(s->cells);
    json_decref(s->document);
    return done;
}

bool crs_study_choose(const crs_study *s, crs_study_option id, int count, const char *(*name)(int),
                      bool *chosen, crease_error *e)
{
    const char *text = s->value[id];
    for (int k = 0; k < count; k++) chosen[k] = !text;
    while (text) {
        char word[NAME];
        const size_t n = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : NAME - 1, text);
        const int k = crs_find(option_at((int)id), word, count, name, e);
        if (k < 0) return false;
        chosen[k] = true;
        text = text[n] ? text + n + 1 : NULL;
    }
    return true;
}

bool crs_study_set(crs_study *s, const char *key, json_t *value, crease_error *e)
{
    return json_object_set_new(s->document, key, value) == 0 ||
           crs_fail(e, CREASE_NO_MEMORY, "out of memory: the document");
}

bool crs_study_append(crs_study *s, json_t *cell, crease_error *e)
{
    return json_array_append_new(s->cells, cell) == 0 ||
           crs_fail(e, CREASE_NO_MEMORY, "out of memory: the document");
}

json_t *crs_study_real(double x) { return isfinite(x) ? json_real(x == 0 ? 0 : x) : json_null(); }

json_t *crs_study_shape(const crease_space *shape)
{
    json_t *list = json_array();
    for (int n = 0; n < shape->order; n++)
        if (json_array_append_new(list, json_integer(shape->dim[n])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

void crs_study_wrap(const char *text, int first_column, int indent)
{
    int column = first_column;
    for (bool first = true; *text; first = false) {
        const int n = (int)strcspn(text, " ");
        if (!first && column + 1 + n > WIDTH)
            column = printf("\n%*s", indent, "") - 1;
        else if (!first)
            column += printf(" ");
        column += printf("%.*s", n, text);
        text += n;
        while (*text == ' ') text++;
    }
    printf("\n");
}

void crs_study_help(const crs_study_verb *v)
{
    printf("crease-study %s [OPTION...]\n\n", v->name);
    crs_study_wrap(v->text, 0, 0);
    printf("\nOptions\n");
    for (int k = 0; k < CRS_STUDY_OPTIONS; k++) {
        char call[NAME];
        if (!takes(v, k)) continue;
        snprintf(call, sizeof call, "%s %s", options[k].name, options[k].values);
        printf("  %-22s", call);
        crs_study_wrap(options[k].text, 24, 24);
    }
    printf("\nExample\n  %s\n", v->example);
}
