/* SPDX-License-Identifier: MIT
 * completion: what may follow on a command line, for the shells. Each shell has a few lines of its
 * own that ask `crease completion candidates -- WORD...`, the last word being the one under the
 * cursor, for lines "candidate TAB explanation"; a last line :files or :folders asks the shell for
 * its own paths as well. All that is known comes from the tables of verbs and options.
 *
 * bash takes = and : for words of their own, and replaces only what follows the last of them: such
 * words are put together again here, and of a candidate what is there already is left out. */
#include <limits.h>

#include "cli/cli.h"

static const char bash_script[] =
    "# bash completion of crease\n"
    "_crease() {\n"
    "    local IFS=$'\\n' line kind= cur=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]}\n"
    "    [[ $cur == [=:] ]] && cur=\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        case $line in\n"
    "        :files) kind=f ;;\n"
    "        :folders) kind=d ;;\n"
    "        *) COMPREPLY+=(\"${line%%$'\\t'*}\") ;;\n"
    "        esac\n"
    "    done < <(\"${program/#\\~/$HOME}\" completion candidates -- "
    "\"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "    if [[ -n $kind ]]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        COMPREPLY+=($(compgen -\"$kind\" -- \"$cur\"))\n"
    "    fi\n"
    "    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=] ]]; then\n"
    "        compopt -o nospace 2>/dev/null\n"
    "    fi\n"
    "}\n"
    "complete -F _crease crease\n";

static const char zsh_script[] =
    "#compdef crease\n"
    "# zsh completion of crease\n"
    "_crease() {\n"
    "    local line kind= value\n"
    "    local -a plain shown open opened\n"
    "    while IFS= read -r line; do\n"
    "        value=${line%%$'\\t'*}\n"
    "        case $line in\n"
    "        :files) kind=files ;;\n"
    "        :folders) kind=folders ;;\n"
    "        *:$'\\t'*|*:) open+=(\"$value\"); opened+=(\"${line/$'\\t'/  -- }\") ;;\n"
    "        *) plain+=(\"$value\"); shown+=(\"${line/$'\\t'/  -- }\") ;;\n"
    "        esac\n"
    "    done < <(\"${(Q)words[1]}\" completion candidates -- \"${(@Q)words[2,CURRENT]}\" "
    "2>/dev/null)\n"
    "    (( $#plain )) && compadd -l -d shown -a plain\n"
    "    (( $#open )) && compadd -S '' -l -d opened -a open\n"
    "    [[ -n $kind && $PREFIX == --*=* ]] && compset -P '*='\n"
    "    case $kind in\n"
    "    files) _files ;;\n"
    "    folders) _files -/ ;;\n"
    "    esac\n"
    "}\n"
    "if [[ $funcstack[1] == _crease ]]; then _crease \"$@\"; else compdef _crease crease; fi\n";

static const char fish_script[] =
    "# fish completion of crease\n"
    "function __crease_candidates\n"
    "    set -l before (commandline -opc)\n"
    "    set -l current (commandline -ct)\n"
    "    set -l attached (string match -r -- '^--[^=]*=' \"$current\")\n"
    "    set -l path (string replace -r -- '^--[^=]*=' '' \"$current\")\n"
    "    for line in ($before[1] completion candidates -- $before[2..-1] \"$current\" "
    "2>/dev/null)\n"
    "        switch $line\n"
    "            case ':files'\n"
    "                __fish_complete_path \"$path\" | string replace -r '^' -- \"$attached\"\n"
    "            case ':folders'\n"
    "                __fish_complete_directories \"$path\" | string replace -r '^' -- "
    "\"$attached\"\n"
    "            case '*'\n"
    "                echo $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c crease -f -a '(__crease_candidates)'\n";

/* The word under the cursor, and how much of a candidate the shell has already. */
typedef struct {
    char current[CRS_PATH_ROOM];
    size_t skip;
} cursor;

static bool is_break(const char *word) { return strcmp(word, "=") == 0 || strcmp(word, ":") == 0; }

static void candidate(const cursor *at, const char *prefix, const char *word, const char *text)
{
    char whole[CRS_PATH_ROOM];
    const int most = 60;
    const int length = (int)strcspn(text, ".:;(\n");
    snprintf(whole, sizeof whole, "%s%s", prefix, word);
    if (strncmp(whole, at->current, strlen(at->current)) != 0) return;
    crs_print("%s", whole + at->skip);
    if (length > 0) crs_print("\t%.*s", length < most ? length : most, text);
    crs_print("\n");
}

static void complete_words(const cursor *at, const char *prefix, const char *words)
{
    for (size_t n; words && *words; words += n + (words[n] == '|')) {
        char word[CRS_NAME];
        n = strcspn(words, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        if (n > 0) candidate(at, prefix, word, "");
    }
}

/* Entries of a catalogue; `open`: a colon waits for the parameters of those that have any. */
static void complete_entries(const cursor *at, const char *prefix, bool sets, bool open)
{
    const int count = sets ? crease_set_count() : crease_reg_count();
    for (int k = 0; k < count; k++) {
        const char *name = sets ? crease_set_at(k)->name : crease_reg_at(k)->name;
        const crease_param *params =
            sets ? crease_set_at(k)->params : crease_reg_params(crease_reg_at(k));
        char word[CRS_NAME];
        snprintf(word, sizeof word, "%s%s", name,
                 open && crease_param_count(params) > 0 ? ":" : "");
        candidate(at, prefix, word, "");
    }
}

static void complete_verbs(const cursor *at)
{
    for (int k = 0; crs_verb_at(k); k++)
        candidate(at, "", crs_verb_at(k)->name, crs_verb_at(k)->text);
}

/* "f.h5:/path": the arrays in the file before the colon. */
static void complete_inside(const cursor *at, const char *prefix)
{
    const char *path = at->current + strlen(prefix), *colon = strrchr(path, ':');
    char file[CRS_PATH_ROOM];
    const crs_format *format;
    crs_listing l = { 0 };
    if (!colon || colon == path) return;
    snprintf(file, sizeof file, "%.*s", (int)(colon - path), path);
    if (crs_read_listing(file, NULL, &l, &format, NULL) && format->list)
        for (int k = 0; k < l.count; k++) {
            char word[CRS_PATH_ROOM];
            snprintf(word, sizeof word, "%.3000s:%s", file, l.member[k].name);
            candidate(at, prefix, word, l.member[k].type);
        }
    crs_listing_free(&l);
}

static void complete_value(const cursor *at, const char *prefix, const crs_word *value,
                           const char *words, bool open)
{
    switch (value->kind) {
    case CRS_REGULARIZER:
    case CRS_SET:
        complete_entries(at, prefix, value->kind == CRS_SET, open);
        break;
    case CRS_VERB_NAME:
        complete_verbs(at);
        break;
    default:
        complete_words(at, prefix, words);
        break;
    }
    if (value->kind == CRS_FILE) complete_inside(at, prefix);
    if (value->kind == CRS_FILE || value->kind == CRS_NUMBERS) crs_print(":files\n");
    if (value->kind == CRS_FOLDER) crs_print(":folders\n");
}

static void complete_option(const cursor *at, const crs_verb *v, int k, const char *prefix)
{
    const crs_option *o = crs_option_at(k);
    const char *own = crs_takes(v, k)->words;
    const bool open = k == CRS_OPT_SET || k == CRS_OPT_REG;
    complete_value(at, prefix, &o->kind, own ? own : o->kind.words, open);
}

static int option_of(const crs_verb *v, const char *word, size_t length)
{
    char name[CRS_NAME];
    for (int k = 0; k < CRS_OPTIONS; k++)
        if (crs_takes(v, k) && strlen(crs_option_name(k, name)) == length &&
            strncmp(name, word, length) == 0)
            return k;
    return -1;
}

/* What the verb takes and does not have yet. */
static void complete_names(const cursor *at, const crs_verb *v, int count, char **word)
{
    for (int k = 0; k < CRS_OPTIONS; k++) {
        char name[CRS_NAME];
        const crs_taken *taken = crs_takes(v, k);
        bool given = false;
        if (!taken) continue;
        crs_option_name(k, name);
        for (int n = 0; n < count; n++) given = given || strcmp(word[n], name) == 0;
        if (!given) candidate(at, "", name, taken->text ? taken->text : crs_option_at(k)->text);
    }
}

/* The words before the cursor follow the verb. */
static void complete(const cursor *at, const crs_verb *v, int count, char **word)
{
    const char *equals = strchr(at->current, '=');
    int operands = 0, waiting = -1; /* an option whose value is next */
    for (int n = 0; n < count; n++) {
        if (strcmp(word[n], "--") == 0) return; /* numbers follow */
        const bool option = word[n][0] == '-' && word[n][1] == '-';
        const bool value = waiting >= 0;
        waiting = option && !strchr(word[n], '=') ? option_of(v, word[n], strlen(word[n])) : -1;
        if (waiting >= 0 && !crs_option_at(waiting)->values[0]) waiting = -1;
        operands += !option && !value;
    }
    if (waiting >= 0) {
        complete_option(at, v, waiting, "");
    } else if (at->current[0] == '-' && equals) {
        const int k = option_of(v, at->current, (size_t)(equals - at->current));
        char prefix[CRS_NAME];
        snprintf(prefix, sizeof prefix, "%.*s", (int)(equals + 1 - at->current), at->current);
        if (k >= 0) complete_option(at, v, k, prefix);
    } else if (at->current[0] == '-') {
        complete_names(at, v, count, word);
    } else if (operands < v->most) {
        complete_value(at, "", &v->word, v->word.words, true);
    }
}

/* Words that bash has torn apart, together again; *count shrinks. False: they are too long. */
static bool mend(int *count, char **word, char (*room)[CRS_PATH_ROOM], cursor *at)
{
    int n = 0;
    at->skip = 0;
    for (int k = 0; k < *count; k++) {
        const bool joined = n > 0 && k > 0 && (is_break(word[k]) || is_break(word[k - 1]));
        char *to = room[joined ? n - 1 : n];
        const size_t used = joined ? strlen(to) : 0;
        if (used + strlen(word[k]) >= CRS_PATH_ROOM) return false;
        at->skip = joined ? used + (is_break(word[k]) ? 1 : 0) : 0;
        memcpy(to + used, word[k], strlen(word[k]) + 1);
        n += !joined;
    }
    for (int k = 0; k < n; k++) word[k] = room[k];
    *count = n;
    return true;
}

static bool print_candidates(const crs_args *a, crease_error *e)
{
    int count = a->count - 1;
    char **word = a->word + 1;
    cursor at = { .skip = 0 };
    if (count < 1)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the words are missing; write crease completion candidates -- WORD...");
    char(*room)[CRS_PATH_ROOM] = crs_alloc((size_t)count, sizeof *room);
    if (!room) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the words");
    if (mend(&count, word, room, &at)) {
        snprintf(at.current, sizeof at.current, "%s", word[count - 1]);
        const crs_verb *v = count > 1 ? crs_verb_find(word[0], NULL) : NULL;
        if (count == 1) complete_verbs(&at);
        if (v) complete(&at, v, count - 2, word + 1);
    }
    crs_free(room);
    return true;
}

static bool run(const crs_args *a, crease_error *e)
{
    static const struct {
        const char *name, *script;
    } shells[] = { { "bash", bash_script }, { "zsh", zsh_script }, { "fish", fish_script } };
    const char *name = a->word[0];
    if (strcmp(name, "candidates") == 0) return print_candidates(a, e);
    for (size_t k = 0; k < sizeof shells / sizeof *shells; k++) {
        if (strcmp(name, shells[k].name) != 0) continue;
        if (a->count == 1) return fputs(shells[k].script, crs_out()), true;
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "unexpected argument '%.64s'; write crease completion %s", a->word[1],
                        name);
    }
    return crs_fail(e, CREASE_BAD_ARGUMENT, "unknown shell '%.64s'; write bash, zsh or fish", name);
}

const crs_verb crs_completion_verb = {
    .name = "completion",
    .words = "bash|zsh|fish",
    .word = CRS_KIND_ONE_OF("bash|zsh|fish"),
    .least = 1,
    .most = INT_MAX,
    .text = "Print what makes a shell complete command lines of crease: verbs, options, their "
            "values, entries of the catalogue, files and arrays in them. An installed crease has "
            "put it where the shells look; otherwise, for this session: in bash 'source <(crease "
            "completion bash)', in zsh the same with zsh after compinit, in fish 'crease "
            "completion fish | source'.",
    .example = "crease completion bash",
    .run = run,
};
