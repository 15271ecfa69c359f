/* SPDX-License-Identifier: MIT
 * page: the frame of a report: head, sections in the order of panels.def, style, script, foot. The
 * page may run its own script, known by its hash, and nothing else; it may load nothing. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <crease/version.h>

#include "report/assets.h"

static const char mark_of_ours[] = "<!doctype html><html lang=\"en\" class=\"crease-report\">";

void crs_section(crs_page *p, const char *id, const char *title, const char *nav)
{
    if (p->inside) crs_mark(&p->body, "</section>\n");
    p->inside = true;
    crs_mark(&p->nav, "<a href=\"#%s\">%s</a>", id, nav);
    crs_mark(&p->body, "<section aria-labelledby=\"%s\"><h2 id=\"%s\">%s</h2>", id, id, title);
}

void crs_card(crs_page *p, const char *term, const char *value, const char *note)
{
    crs_mark(&p->cards, "<div class=\"card\"><dt>%s</dt><dd>%s<small>%s</small></dd></div>", term,
             value, note);
}

void crs_say(crs_page *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    crs_mark(&p->body, "<p class=\"say\">");
    crs_mark_list(&p->body, format, &list);
    crs_mark(&p->body, "</p>\n");
    va_end(list);
}

void crs_advise(crs_page *p, const char *format, ...)
{
    va_list list;
    crs_markup *to = p->inside ? &p->body : &p->notes;
    va_start(list, format);
    crs_mark(to, "<p class=\"note\"><b>Look here.</b> ");
    crs_mark_list(to, format, &list);
    crs_mark(to, "</p>\n");
    va_end(list);
}

/* One axis of result.json: {"name", "unit", "numbers" or "labels"}, each may be absent. Too many or
 * too few numbers, or other things than numbers, are as if there were none. */
static bool read_axis(const json_t *from, ptrdiff_t length, crs_axis *to, crease_error *e)
{
    const json_t *numbers = json_object_get(from, "numbers"),
                 *labels = json_object_get(from, "labels");
    const char *name = crs_json_words(from, "name"), *unit = crs_json_words(from, "unit");
    const json_t *list = json_is_array(labels) ? labels : numbers;
    const ptrdiff_t count = (ptrdiff_t)json_array_size(list);
    crease_error ours;
    if (name && !crs_axis_name(to, name, unit, &ours) && ours.code == CREASE_NO_MEMORY)
        return crs_fail(e, ours.code, "%s", ours.text);
    if (count != length) return true;
    void *memory = crs_alloc((size_t)count, sizeof(double) + sizeof(char *));
    if (!memory) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the labels of an axis");
    double *at = memory;
    const char **label = (const char **)(at + count);
    bool good = true, words = true;
    for (ptrdiff_t k = 0; k < count; k++) {
        const json_t *one = json_array_get(list, (size_t)k);
        at[k] = json_number_value(one);
        label[k] = json_string_value(one);
        good = good && json_is_number(one) && isfinite(at[k]);
        words = words && label[k];
    }
    if (good)
        good = crs_axis_at(to, count, at, e);
    else
        good = !words || crs_axis_labels(to, count, label, e);
    crs_free(memory);
    return good;
}

static bool read_axes(crs_page *p, crease_error *e)
{
    const json_t *list = crs_json_at(p->result, "axes");
    crease_space shape = { .order = 0 };
    const json_t *data = json_array_get(crs_json_at(p->result, "data"), 0);
    if (!crs_json_shape(p->details, "shape", &shape)) crs_json_shape(data, "shape", &shape);
    bool done = true;
    for (int n = 0; done && n < shape.order; n++)
        done = read_axis(json_array_get(list, (size_t)n), shape.dim[n], &p->axes.axis[n], e);
    return done;
}

static const crs_page_kind *const kinds[] = {
#define PAGE(verb) &crs_page_##verb,
#define PANEL(verb, name)
#include "report/panels.def"
#undef PAGE
#undef PANEL
};

static const struct {
    const char *verb;
    crs_panel *put;
} panels[] = {
#define PAGE(verb)
#define PANEL(verb, name) { #verb, crs_panel_##name },
#include "report/panels.def"
#undef PAGE
#undef PANEL
};

static bool read_result(crs_page *p, crease_error *e)
{
    char *path = crs_path_in(p->folder, "result.json", e);
    p->result = path ? crs_json_read(path, NULL, e) : NULL;
    crs_free(path);
    return p->result;
}

/* Whose page the result gets. */
static bool open_page(crs_page *p, crease_error *e)
{
    p->verb = crs_json_words(p->result, "verb");
    p->model = crs_json_words(p->result, "model");
    p->details = crs_json_at(p->result, "details");
    for (size_t k = 0; p->verb && k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kinds[k]->verb, p->verb) == 0) p->kind = kinds[k];
    if (!p->kind)
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s/result.json: there is no page for results of '%.40s'; give a "
                        "folder that rpca, apply, spca, regress or solve wrote",
                        p->folder, p->verb ? p->verb : "?");
    return read_axes(p, e) && p->kind->open(p, e);
}

static bool fill_page(crs_page *p, crease_error *e)
{
    if (!p->kind->head(p, e)) return false;
    for (size_t k = 0; k < sizeof panels / sizeof *panels; k++) {
        const bool ours = strcmp(panels[k].verb, p->verb) == 0;
        if ((ours || strcmp(panels[k].verb, "ANY") == 0) && !panels[k].put(p, e)) return false;
    }
    if (p->inside) crs_mark(&p->body, "</section>\n");
    return true;
}

static void close_page(crs_page *p)
{
    crs_markup *const all[] = { &p->title, &p->kicker, &p->lede, &p->cards, &p->nav,
                                &p->body,  &p->notes,  &p->data, &p->footer };
    if (p->kind && p->own) p->kind->close(p);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) crs_markup_free(all[k]);
    crs_axes_free(&p->axes);
    json_decref(p->result);
}

/* The script by its hash, which is all that may run. */
static void put_policy(crs_markup *m)
{
    struct sha256_ctx hash;
    unsigned char digest[SHA256_DIGEST_SIZE];
    sha256_init(&hash);
    sha256_update(&hash, crs_page_script_size, crs_page_script);
    sha256_digest(&hash, sizeof digest, digest);
    crs_mark(m, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; script-src "
                "'sha256-");
    crs_mark_base64(m, digest, sizeof digest);
    crs_mark(m, "'\">");
}

static void put_head(crs_markup *m, const crs_page *p)
{
    crs_mark_bytes(m, mark_of_ours, sizeof mark_of_ours - 1);
    crs_mark(m,
             "<head><meta charset=\"utf-8\"><meta name=\"viewport\" "
             "content=\"width=device-width,initial-scale=1\"><meta name=\"generator\" "
             "content=\"crease %s\">",
             crease_version());
    put_policy(m);
    crs_mark(m, "<title>");
    crs_mark_all(m, &p->title);
    crs_mark(m, " – crease report</title><style>");
    crs_mark_bytes(m, (const char *)crs_page_style, crs_page_style_size);
    crs_mark(m, "</style></head>\n<body><header><p class=\"kicker\">");
    crs_mark_all(m, &p->kicker);
    crs_mark(m, "</p><h1>");
    crs_mark_all(m, &p->title);
    crs_mark(m, "</h1><p class=\"lede\">");
    crs_mark_all(m, &p->lede);
    crs_mark(m, "</p>\n");
    crs_put_verdict(m, p);
    crs_mark(m, "<dl class=\"cards\">");
    crs_mark_all(m, &p->cards);
    crs_mark(m, "</dl>");
    crs_mark_all(m, &p->notes);
}

static void put_page(crs_markup *m, const crs_page *p)
{
    put_head(m, p);
    crs_mark(m, "</header>\n<nav aria-label=\"Sections\"><div>");
    crs_mark_all(m, &p->nav);
    crs_mark(m, "<button id=\"theme\" type=\"button\" hidden>Light or dark</button></div></nav>\n"
                "<main>");
    crs_mark_all(m, &p->body);
    crs_mark(m,
             "</main><footer><p>Made by crease %s. This page is one file, loads nothing and can "
             "be mailed or archived as it is. ",
             crs_json_words(p->result, "crease"));
    crs_mark_all(m, &p->footer);
    crs_mark(m, "</p></footer>\n<script type=\"application/json\" id=\"data\">{");
    crs_mark_all(m, &p->data);
    crs_mark(m, "}</script><script>");
    crs_mark_bytes(m, (const char *)crs_page_script, crs_page_script_size);
    crs_mark(m, "</script></body></html>\n");
}

/* Nothing there, an empty file, or an earlier page. */
static bool may_replace(const char *path)
{
    char head[sizeof mark_of_ours] = "";
    const int file = open(path, O_RDONLY); /* not a stream, which takes memory */
    if (file < 0) return errno == ENOENT;
    const ssize_t n = read(file, head, sizeof head - 1);
    close(file);
    return n == 0 || strcmp(head, mark_of_ours) == 0;
}

static bool put_file(FILE *f, const void *what)
{
    const crs_markup *m = what;
    return fwrite(m->at, 1, m->length, f) == m->length;
}

static bool write_page(crs_page *p, const char *path, bool force, size_t *bytes, crease_error *e)
{
    crs_markup all = { .at = NULL };
    bool done = force || may_replace(path) ||
                crs_fail(e, CREASE_IO,
                         "%.200s is there and is no report; give another name, or --force to "
                         "replace it",
                         path);
    done = done && (p->result || read_result(p, e)) && open_page(p, e) && fill_page(p, e);
    if (done) put_page(&all, p);
    if (done && all.failed) done = crs_fail(e, CREASE_NO_MEMORY, "out of memory: the page");
    done = done && crs_write_whole(path, put_file, &all, NULL, e);
    if (done && bytes) *bytes = all.length;
    crs_markup_free(&all);
    close_page(p);
    return done;
}

bool crs_page_write(const char *folder, const char *path, bool force, size_t *bytes,
                    crease_error *e)
{
    crs_page page = { .folder = folder };
    return write_page(&page, path, force, bytes, e);
}

bool crs_page_write_document(json_t *document, const char *path, bool force, size_t *bytes,
                             crease_error *e)
{
    crs_page page = { .folder = "", .result = json_incref(document) };
    return write_page(&page, path, force, bytes, e);
}
