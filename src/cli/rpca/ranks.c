/* SPDX-License-Identifier: MIT
 * ranks: the data of robust PCA, and the rows of a regression, as every rank opens them, and
 * what else ranks do
 *
 * Rank 0 runs the command. The others read the slabs that they look at themselves: what they are
 * told is the path, how it is read, and the memory that slabs may take. */
#include "cli/regress_rows.h"
#include "cli/rpca/rpca.h"
#include "io/stream/stream.h"
#include "regress/rows.h"

typedef struct {
    const char *path;
    crs_asked asked;
    double bytes;
    bool missing;
    int files; /* of a table of rows; 0: it is one array */
    const char *beside[CRS_JOINED];
} data;

void crs_visit_asked(crs_visitor *v, crs_asked *a)
{
    crs_visit(v, a->missing);
    crs_visit_text(v, "read_as", &a->read_as);
    crs_visit_text(v, "absent", &a->absent);
    crs_visit_text(v, "columns", &a->columns);
    crs_visit_text(v, "drop", &a->drop);
    crs_visit_text(v, "frames", &a->frames);
    crs_visit_text(v, "size", &a->size);
    crs_visit(v, a->colour);
    crs_visit(v, a->shape);
}

static void visit(crs_visitor *v, void *self)
{
    data *d = self;
    crs_visit_text(v, "path", &d->path);
    crs_visit_asked(v, &d->asked);
    crs_visit(v, d->bytes);
    crs_visit(v, d->missing);
    crs_visit(v, d->files);
    for (int k = 0; k < CRS_JOINED; k++) crs_visit_text(v, "beside", &d->beside[k]);
}

static bool share(const crs_team *t, data *d, crs_source *source, crease_error *e)
{
    size_t count;
    if (t->size == 1 || source->cut.count == 1) return true;
    char *bytes = crs_pack(visit, d, &count);
    if (!bytes) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: what ranks are told");
    const bool done = crs_team_invite(t, source, bytes, count, e);
    crs_free(bytes);
    return done;
}

bool crs_rpca_share(const crs_team *t, const char *path, const crs_stream_settings *s,
                    crs_source *source, crease_error *e)
{
    data d = { .path = path, .asked = *s->asked, .bytes = s->bytes, .missing = s->missing };
    return share(t, &d, source, e);
}

bool crs_regress_share(const crs_team *t, const crs_joining *files, double bytes,
                       crs_source *source, crease_error *e)
{
    data d = {
        .path = files->path[0], .asked = files->asked, .bytes = bytes, .files = files->files
    };
    for (int k = 1; k < files->files; k++) d.beside[k] = files->path[k];
    return share(t, &d, source, e);
}

static crs_source *open(void *user, const void *told, size_t bytes, crease_error *e)
{
    const crs_team *t = user;
    data d = { .path = NULL };
    crease_error why = { CREASE_OK, "" };
    if (!crs_unpack(visit, &d, told, bytes))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "rank %d is of another version of crease; use one for all ranks", t->rank),
               NULL;
    const crs_stream_settings s = {
        .asked = &d.asked, .bytes = d.bytes, .missing = d.missing, .part = t->rank, .parts = t->size
    };
    crs_joining rows = { .files = d.files, .asked = d.asked };
    for (int k = 0; k < CRS_JOINED; k++) rows.path[k] = k == 0 ? d.path : d.beside[k];
    crs_source *source =
        d.files > 0 ? crs_joined_source(&rows, &s, &why) : crs_stream_open(d.path, &s, &why);
    if (!source) crs_fail(e, why.code, "rank %d: %.350s", t->rank, why.text);
    return source;
}

static void visit_told(crs_visitor *v, void *self)
{
    crs_rpca_told *d = self;
    crs_visit_text(v, "folder", &d->folder);
    crs_visit_text(v, "problem", &d->problem);
    crs_visit_text(v, "memory", &d->memory);
    crs_visit_text(v, "threads", &d->threads);
    crs_visit_text(v, "certificate", &d->certificate);
    crs_visit(v, d->eps);
    crs_visit(v, d->left);
    crs_visit(v, d->arrays);
}

bool crs_rpca_tell(const crs_team *t, const crs_rpca_told *told, crease_error *e)
{
    size_t count;
    char *bytes = crs_pack(visit_told, (void *)(uintptr_t)told, &count);
    if (!bytes) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: what ranks are told");
    const bool done = crs_team_call(t, "check", bytes, count, e);
    crs_free(bytes);
    return done;
}

bool crs_rpca_agree(const crs_team *t, bool well, crease_error *e)
{
    crease_error why = { CREASE_OK, "" };
    if (!well && e) why = *e;
    if (!well && e && t->rank > 0 && strncmp(e->text, "rank ", 5) != 0)
        crs_fail(&why, e->code, "rank %d: %.350s", t->rank, e->text);
    const bool all = crs_team_agree(t, well ? -1 : t->rank, &why);
    if (!all && e && t->rank == 0) *e = why;
    return all;
}

static void check(const crs_team *t, const void *bytes, size_t count)
{
    crs_rpca_told told = { .folder = NULL };
    crease_error e = { CREASE_OK, "" };
    bool agreed;
    if (crs_unpack(visit_told, &told, bytes, count))
        crs_rpca_assist(t, &told, NULL, &agreed, NULL, &e);
    else
        crs_rpca_agree(t,
                       crs_fail(&e, CREASE_UNSUPPORTED,
                                "it is of another version of crease; use one for all ranks"),
                       &e);
}

void crs_program_serve(const crs_team *t)
{
    static const crs_job *const jobs[] = { CRS_RPCA_JOBS, CRS_ROWS_JOBS, &crs_hash_job,
                                           &crs_output_job, NULL };
    crs_blas_alone();
    static const crs_team_task tasks[] = { { "check", check },
                                           { "generate", crs_generate_assist },
                                           { "apply-survey", crs_apply_assist_survey },
                                           { "apply", crs_apply_assist },
                                           { NULL, NULL } };
    const crs_team_service s = {
        .open = open, .user = (void *)(uintptr_t)t, .jobs = jobs, .tasks = tasks
    };
    crs_team_serve(t, &s);
}
