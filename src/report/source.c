/* SPDX-License-Identifier: MIT
 * source: what panels take from the folder and from the data it is about, and small pieces of
 * markup that several pages have */
#include "report/pieces.h"

bool crs_page_array(const crs_page *p, const char *name, crs_array *out, crease_error *e)
{
    char *path = crs_path_in(p->folder, name, e);
    const bool done = path && crs_read_array(path, out, e);
    crs_free(path);
    return done;
}

const json_t *crs_page_entry(const crs_page *p, const char *role)
{
    const json_t *list = crs_json_at(p->result, "data");
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *one = json_array_get(list, k);
        const char *word = crs_json_words(one, "role");
        if (word && strcmp(word, role) == 0) return one;
    }
    return NULL;
}

bool crs_page_source(const crs_page *p, const char *role, crs_array *out, crease_error *e)
{
    char hash[CRS_HASH];
    const json_t *source = crs_page_entry(p, role);
    const char *was = crs_json_words(source, "hash");
    char *path = source ? crs_find_source(p->folder, source, e) : NULL;
    const crs_asked asked = crs_asked_in(source);
    bool done = path && crs_read_asked(path, &asked, out, e);
    crs_free(path);
    if (!source) return crs_fail(e, CREASE_BAD_DATA, "result.json does not say where %s is", role);
    if (!done) return false;
    crs_array_hash(out, hash);
    if (was && strcmp(was, hash) == 0) return true;
    crs_array_free(out);
    return crs_fail(e, CREASE_BAD_DATA, "%s has changed since the result was written", role);
}

bool crs_page_without(const crease_error *failed, crease_error *e)
{
    if (failed->code != CREASE_NO_MEMORY) return true;
    *e = *failed;
    return false;
}

void crs_page_title(crs_page *p, const char *role, const char *otherwise)
{
    const char *path = crs_json_words(crs_page_entry(p, role), "path"),
               *slash = path ? strrchr(path, '/') : NULL;
    crs_mark(&p->title, "%s", slash && slash[1] ? slash + 1 : path ? path : otherwise);
}

void crs_page_sizes(crs_page *p, const crease_space *shape)
{
    char count[CRS_DIGITS], name[CRS_LABEL];
    bool named = true;
    for (int n = 0; n < shape->order; n++) {
        crs_mark(&p->lede, "%s%s", n ? " × " : "", crs_count((double)shape->dim[n], count));
        named = named && p->axes.axis[n].name;
    }
    for (int n = 0; named && n < shape->order; n++)
        crs_mark(&p->lede, "%s%s", n ? ", " : " (", crs_axis_called(p, n, name));
    if (named) crs_mark(&p->lede, ")");
}

void crs_mark_signed(crs_markup *m, double part, const char *colour)
{
    const double wide = isfinite(part) ? 50 * clip(fabs(part), 0, 1) : 0;
    crs_mark(m,
             "<td><div class=\"signed\"><i style=\"left:%.1f%%;width:%.1f%%;background:var(--%s)\">"
             "</i></div></td>",
             part < 0 ? 50 - wide : 50, wide, colour);
}

bool crs_spot_free(crs_spots *s, const crs_chart *c, double x, double y, const double box[2])
{
    const double at = (x - c->x0) / (c->x1 - c->x0) * (c->width - c->left - c->right),
                 up = (y - c->y0) / (c->y1 - c->y0) * (c->height - c->top - c->bottom);
    bool room = isfinite(at) && isfinite(up) && s->count < CRS_SPOTS;
    for (int k = 0; k < s->count; k++)
        room = room && (fabs(s->x[k] - at) > box[0] || fabs(s->y[k] - up) > box[1]);
    if (room) s->x[s->count] = at, s->y[s->count++] = up;
    return room;
}
