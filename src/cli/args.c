/* SPDX-License-Identifier: MIT
 * args: the command line by the tables of options and verbs: --name value, --name=value, words;
 * after -- everything is a word, and so is a negative number */
#include "cli/cli.h"

static const crs_option list[] = {
#define OPTION(id, group, kind, name, values, text)                                                \
    { CRS_GROUP_##group, CRS_KIND_##kind, name, values, text },
#include "cli/options.def"
#undef OPTION
};

const crs_option *crs_option_at(int k) { return &list[k]; }

crs_group crs_option_group(int k)
{
    const bool often = k == CRS_OPT_eps || k == CRS_OPT_max_seconds || k == CRS_OPT_seed;
    return often ? CRS_GROUP_COMMON : list[k].group; /* of the library's list, too */
}

const char *crs_group_name(crs_group group)
{
    static const char *const name[CRS_GROUPS] = { "common", "model", "method", "output" };
    return name[group];
}

const char *crs_word_name(crs_word_kind kind)
{
    static const char *const name[CRS_VALUES] = {
        [CRS_TEXT] = "text",       [CRS_FLAG] = "flag",
        [CRS_FILE] = "file",       [CRS_FOLDER] = "folder",
        [CRS_NUMBER] = "number",   [CRS_WHOLE] = "whole number",
        [CRS_NUMBERS] = "numbers", [CRS_ONE_OF] = "one of",
        [CRS_WORDS] = "text",      [CRS_REGULARIZER] = "regularizer",
        [CRS_SET] = "set",         [CRS_VERB_NAME] = "verb",
    };
    return name[kind];
}

static const char *name_at(int k) { return list[k].name; }

/* "--max_iterations" to "--max-iterations" or back: the two blanks of a name are one. */
static const char *respell(const char *name, char from, char to, char *out)
{
    size_t n = 0;
    for (; name[n] && n + 1 < CRS_NAME; n++) out[n] = n >= 2 && name[n] == from ? to : name[n];
    out[n] = '\0';
    return out;
}

const char *crs_option_name(int k, char out[CRS_NAME])
{
    return respell(list[k].name, '_', '-', out);
}

static bool is_option(const char *word)
{
    double number;
    return word[0] == '-' && word[1] && !crs_parse_double(word, &number);
}

const crs_taken *crs_takes(const crs_verb *v, int k)
{
    static const crs_taken help = CRS_TAKES(HELP);
    for (const crs_taken *at = v->takes; at && at->id >= 0; at++)
        if (at->id == k) return at->kinds == CRS_NO_KIND ? NULL : at;
    return k == CRS_OPT_HELP ? &help : NULL;
}

static int find_option(const crs_verb *verb, const char *word, crease_error *e)
{
    char name[CRS_NAME], other[CRS_NAME];
    bool known = false; /* a name may mean another option to another verb */
    respell(word, '-', '_', name);
    for (int k = 0; k < CRS_OPTIONS; k++) {
        if (strcmp(list[k].name, name) != 0) continue;
        if (crs_takes(verb, k)) return k;
        known = true;
    }
    if (known) {
        crs_fail(e, CREASE_BAD_ARGUMENT,
                 "%s does not take %s; 'crease help %s --all' shows its options", verb->name, word,
                 verb->name);
        return -1;
    }
    const int near = crs_nearest(name, CRS_OPTIONS, name_at);
    if (near >= 0 && crs_takes(verb, near))
        crs_fail(e, CREASE_BAD_ARGUMENT, "unknown option '%.64s'; did you mean '%s'?", word,
                 crs_option_name(near, other));
    else
        crs_fail(
            e, CREASE_BAD_ARGUMENT,
            "unknown option '%.64s'; 'crease help %s --all' shows its options; words after -- are "
            "never options",
            word, verb->name);
    return -1;
}

static int count_values(const crs_option *o)
{
    return !o->values[0] ? 0 : strchr(o->values, ' ') ? 2 : 1;
}

/* The option at argv[*k], with its values; *k moves to the last of them. */
static bool take_option(crs_args *a, int argc, char **argv, int *k, crease_error *e)
{
    char name[CRS_NAME] = "--help";
    const char *word = argv[*k];
    const size_t n = strcspn(word, "=");
    const char *attached = word[n] ? word + n + 1 : NULL;
    if (strcmp(word, "-o") == 0)
        snprintf(name, sizeof name, "--out");
    else if (strcmp(word, "-h") != 0)
        snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : (int)sizeof name - 1, word);
    const int id = find_option(a->verb, name, e);
    if (id < 0) return false;
    if (a->value[id][0])
        return crs_fail(e, CREASE_BAD_ARGUMENT, "%s is given twice; give it once", name);
    const int wanted = count_values(&list[id]);
    if (wanted == 0) {
        a->value[id][0] = name_at(id);
        return !attached || crs_fail(e, CREASE_BAD_ARGUMENT, "%s does not take a value", name);
    }
    for (int v = 0; v < wanted; v++) {
        const char *value = v == 0 && attached ? attached : *k + 1 < argc ? argv[++*k] : NULL;
        if (!value || (value != attached && strncmp(value, "--", 2) == 0))
            return crs_fail(e, CREASE_BAD_ARGUMENT, "%s: missing value; write %s %s", name, name,
                            list[id].values);
        a->value[id][v] = value;
    }
    return true;
}

/* Is kind k among these, and no form of another one that is ("--model matrix with --eta")? */
static bool is_named(const crs_verb *v, unsigned kinds, int k)
{
    bool named = kinds >> k & 1;
    for (int i = 0; i < k; i++)
        if (kinds >> i & 1 && strncmp(v->kinds[k], v->kinds[i], strlen(v->kinds[i])) == 0)
            named = false;
    return named;
}

/* "--model cp and --model tucker" for two bits. */
static void name_kinds(const crs_verb *v, unsigned kinds, char *out, size_t size)
{
    int count = 0, done = 0;
    size_t used = 0;
    out[0] = '\0';
    for (int k = 0; v->kinds[k]; k++) count += is_named(v, kinds, k);
    for (int k = 0; v->kinds[k] && used < size; k++) {
        if (!is_named(v, kinds, k)) continue;
        const char *join = done == 0 ? "" : done + 1 == count ? " and " : ", ";
        used += (size_t)snprintf(out + used, size - used, "%s%s", join, v->kinds[k]);
        done++;
    }
}

/* Every option that was given is read by this kind of the verb. */
static bool all_read(const crs_args *a, crease_error *e)
{
    const crs_verb *v = a->verb;
    char readers[300], name[CRS_NAME];
    if (crs_given(a, CRS_OPT_FORCE) && crs_takes(v, CRS_OPT_OUT) && !crs_given(a, CRS_OPT_OUT))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--force is for the folder of --out; add --out DIR");
    if (crs_given(a, CRS_OPT_FORMAT) && crs_takes(v, CRS_OPT_OUT) && !crs_given(a, CRS_OPT_OUT))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--format is for the files of --out; add --out DIR");
    if (crs_given(a, CRS_OPT_REPORT) && crs_takes(v, CRS_OPT_OUT) && !crs_given(a, CRS_OPT_OUT))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--report makes a page of the folder of --out; add --out DIR");
    if (crs_given(a, CRS_OPT_QUIET) && crs_given(a, CRS_OPT_VERBOSE))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--quiet and --verbose exclude each other; give one");
    if (crs_given(a, CRS_OPT_FORMAT) && crs_takes(v, CRS_OPT_OUT) && !crs_given(a, CRS_OPT_OUT) &&
        !crs_dry(a))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--format is for the files of --out; add --out DIR");
    if (!crs_colour_option(a, e)) return false;
    if (crs_dry(a) && crs_given(a, CRS_OPT_JSON))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "--dry-run has no document; leave --json out");
    if (!v->kinds) return true;
    const int kind = v->kind(a, e);
    if (kind < 0) return false;
    for (int k = 0; k < CRS_OPTIONS; k++) {
        if (!a->value[k][0]) continue;
        const unsigned kinds = crs_takes(v, k)->kinds;
        if (kinds == 0 || kinds >> kind & 1) continue;
        name_kinds(v, kinds, readers, sizeof readers);
        return crs_fail(e, CREASE_UNSUPPORTED, "%s is read by %s; this run uses %s",
                        crs_option_name(k, name), readers, v->kinds[kind]);
    }
    return true;
}

/* Files that depend on a seed alone do not have it: `generate` with the same seed writes the same
 * bytes. A file in memory is spelled as the folder of the result will have it. */
void crs_spell_command(const crs_verb *verb, int argc, char *const *argv, char out[CRS_COMMAND])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./,:=+@%-";
    size_t n = (size_t)snprintf(out, CRS_COMMAND, "crease");
    for (int k = 0; k < argc; k++) {
        const char *word = crs_is_memory(argv[k]) ? strchr(argv[k], ':') + 1 : argv[k];
        const bool quoted = !word[0] || word[strspn(word, plain)];
        if (n + 4 * strlen(word) + 8 > CRS_COMMAND || verb == &crs_generate_verb) {
            out[0] = '\0';
            return;
        }
        out[n++] = ' ';
        if (quoted) out[n++] = '\'';
        for (const char *at = word; *at; at++)
            n += (size_t)snprintf(out + n, 5, *at == '\'' ? "'\\''" : "%c", *at);
        if (quoted) out[n++] = '\'';
        out[n] = '\0';
    }
}

bool crs_args_parse(const crs_verb *verb, int argc, char **argv, crs_args *a, crease_error *e)
{
    bool words_only = false;
    *a = (crs_args){
        .verb = verb, .word = argv, .status = a->status, .watch = a->watch, .team = a->team
    };
    for (int k = 0; k < argc; k++) {
        if (!words_only && strcmp(argv[k], "--") == 0)
            words_only = true;
        else if (words_only || !is_option(argv[k]))
            a->word[a->count++] = argv[k];
        else if (!take_option(a, argc, argv, &k, e))
            return false;
    }
    if (crs_given(a, CRS_OPT_HELP)) return true;
    if (a->count < verb->least)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "missing argument; write crease %s %s", verb->name,
                        verb->words);
    if (a->count > verb->most)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "unexpected argument '%.64s'; write crease %s %s",
                        a->word[verb->most], verb->name, verb->words);
    return all_read(a, e);
}

bool crs_option_number(const crs_args *a, crs_option_id id, int which, double *x, crease_error *e)
{
    const char *text = a->value[id][which];
    char name[CRS_NAME];
    crs_option_name((int)id, name);
    return crs_parse_double(text, x) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "%s: '%.64s' is not a number; write %s %s", name, text,
                    name, list[id].values);
}

bool crs_seconds_of(const crs_args *a, double *seconds, crease_error *e)
{
    *seconds = INFINITY;
    if (!crs_given(a, CRS_OPT_max_seconds)) return true;
    return crs_option_number(a, CRS_OPT_max_seconds, 0, seconds, e) &&
           (*seconds >= 0 ||
            crs_fail(e, CREASE_BAD_ARGUMENT,
                     "--max-seconds %g is outside its range: give a number >= 0", *seconds));
}

bool crs_option_integer(const crs_args *a, crs_option_id id, double low, double high,
                        double otherwise, double *x, crease_error *e)
{
    char name[CRS_NAME];
    *x = otherwise;
    if (!crs_given(a, id)) return true;
    if (!crs_option_number(a, id, 0, x, e)) return false;
    return (*x >= low && *x <= high && *x == floor(*x)) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "%s %g is outside its range: give a whole number from %.0f to %.0f",
                    crs_option_name((int)id, name), *x, low, high);
}
