/* SPDX-License-Identifier: MIT
 * checkpoint: --checkpoint, --checkpoint-every and --resume: the file that a run can go on from
 *
 * The file is the library's image of the job, then its SHA-256. It is written whole or not at all,
 * beside the old one and flushed before it takes its name. The image is bound to the verb, to every
 * option that numbers depend on (files by their contents), to the data, and to the number of
 * threads where sums depend on it. It is removed when the run is complete. */
#include <errno.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/parallel.h"

enum { SEAL = 72 }; /* bytes of "sha256:", 64 digits, and their end */

struct crs_checkpoint {
    crease_checkpoint *image;
    const char *path; /* that is written */
    const char *resumed;
    const crs_args *a;
    bool warned, refused;
};

typedef struct {
    const void *bytes;
    size_t count;
} piece;

static bool put(FILE *f, const void *what)
{
    const piece *p = what;
    char text[CRS_HASH];
    crs_hash h;
    crs_hash_begin(&h);
    crs_hash_add(&h, p->bytes, p->count);
    crs_hash_end(&h, text);
    return fwrite(p->bytes, 1, p->count, f) == p->count && fwrite(text, 1, SEAL, f) == SEAL;
}

/* A run is not given up because its checkpoint cannot be written. */
static bool save(void *self, const void *bytes, size_t count)
{
    struct crs_checkpoint *c = self;
    const piece p = { bytes, count };
    crease_error e;
    if (crs_write_whole(c->path, put, &p, NULL, &e)) return true;
    if (!c->warned) crs_log_note(c->a, "%s; the run goes on", e.text);
    c->warned = true;
    return false;
}

static bool check(const char *path, const char *bytes, size_t n, crease_error *e)
{
    char text[CRS_HASH];
    crs_hash h;
    crs_hash_begin(&h);
    if (n >= SEAL) crs_hash_add(&h, bytes, n - SEAL);
    crs_hash_end(&h, text);
    return (n >= SEAL && memcmp(bytes + n - SEAL, text, SEAL) == 0) ||
           crs_fail(e, CREASE_BAD_DATA,
                    "%.200s is no checkpoint, or damaged: its hash is not that of its bytes; use "
                    "another copy, or begin anew without --resume",
                    path);
}

static bool load(struct crs_checkpoint *c, crease_error *e)
{
    char *bytes = NULL;
    size_t n = 0;
    crease_error why;
    FILE *f = crs_open(c->resumed, e);
    bool done = f && crs_slurp(f, c->resumed, &bytes, &n, e) && check(c->resumed, bytes, n, e);
    if (done && !crease_checkpoint_resume(c->image, bytes, n - SEAL, &why))
        done = crs_fail(e, why.code, "%.100s: %.250s", c->resumed, why.text);
    if (f) fclose(f);
    crs_free(bytes);
    return done;
}

/* What is only written or said, and limits: a run may be resumed with others. */
static bool is_free(int k)
{
    static const int ids[] = { CRS_OPT_OUT,
                               CRS_OPT_FORCE,
                               CRS_OPT_CHECKPOINT,
                               CRS_OPT_RESUME,
                               CRS_OPT_CHECKPOINT_EVERY,
                               CRS_OPT_MEMORY,
                               CRS_OPT_THREADS,
                               CRS_OPT_max_seconds,
                               CRS_OPT_max_iterations,
                               CRS_OPT_max_evaluations };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i] == k) return true;
    return crs_option_at(k)->group == CRS_GROUP_OUTPUT;
}

/* The value as it stands, or the hash of the file that it names. */
static bool bind_option(const crs_args *a, int k, crease_error *e)
{
    const char *const *value = a->value[k];
    char text[2 * CRS_NAME + CRS_HASH], name[CRS_NAME];
    crs_stamp stamp;
    snprintf(text, sizeof text, "%s%s%s",
             !value[0]                            ? "not given"
             : value[0] == crs_option_at(k)->name ? "given"
                                                  : value[0],
             value[1] ? " " : "", value[1] ? value[1] : "");
    if (value[0] && value[0] != crs_option_at(k)->name && crs_is_there(value[0]) &&
        crs_stamp_read(value[0], &stamp, NULL))
        snprintf(text, sizeof text, "%s", stamp.hash);
    return crs_checkpoint_bind(a, crs_option_name(k, name), text, e);
}

bool crs_checkpoint_bind_threads(const crs_args *a, crease_error *e)
{
    char threads[16];
    snprintf(threads, sizeof threads, "%d", crs_threads());
    return crs_checkpoint_bind(a, "the number of threads (OMP_NUM_THREADS)", threads, e) &&
           (!crs_takes(a->verb, CRS_OPT_THREADS) || bind_option(a, CRS_OPT_THREADS, e));
}

static bool bind_options(const crs_args *a, crease_error *e)
{
    bool done = crs_checkpoint_bind(a, "the verb", a->verb->name, e) &&
                (a->verb->binds_threads || crs_checkpoint_bind_threads(a, e));
    for (int k = 0; done && k < CRS_OPTIONS; k++)
        if (!is_free(k) && crs_takes(a->verb, k)) done = bind_option(a, k, e);
    return done;
}

bool crs_checkpoint_bind(const crs_args *a, const char *name, const char *value, crease_error *e)
{
    crease_error why;
    if (!a->checkpoint || crease_checkpoint_bind(a->checkpoint->image, name, value, &why))
        return true;
    a->checkpoint->refused = true;
    return crs_fail(e, why.code, "%.100s: %.290s",
                    a->checkpoint->resumed ? a->checkpoint->resumed : a->checkpoint->path,
                    why.text);
}

/* A file that is there and not resumed is somebody's work. --checkpoint F --resume F begins where F
 * is, also at the first time: so a job can be submitted again as it is. */
static bool paths(const crs_args *a, struct crs_checkpoint *c, crease_error *e)
{
    const char *given = crs_given(a, CRS_OPT_CHECKPOINT);
    c->resumed = crs_given(a, CRS_OPT_RESUME);
    c->path = given ? given : c->resumed;
    const bool there = access(c->path, F_OK) == 0;
    const bool same = given && c->resumed && strcmp(given, c->resumed) == 0;
    if (same && !there) c->resumed = NULL;
    if (same && !there) crs_log_note(a, "%s is not there yet: the run begins", given);
    return !there || same || !given || crs_given(a, CRS_OPT_FORCE) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "--checkpoint %.200s: there is such a file; go on with it by --resume, give "
                    "another name, or add --force to lose it",
                    given);
}

bool crs_checkpoint_open(crs_args *a, crease_error *e)
{
    const double least = 0.01; /* seconds: a disk is not flushed faster */
    double every = 60;
    if (crs_given(a, CRS_OPT_CHECKPOINT_EVERY)) {
        if (!crs_option_number(a, CRS_OPT_CHECKPOINT_EVERY, 0, &every, e)) return false;
        if (!(every >= 0 && every < INFINITY))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "--checkpoint-every %g is outside its range: give seconds >= 0", every);
        if (!crs_given(a, CRS_OPT_CHECKPOINT) && !crs_given(a, CRS_OPT_RESUME))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "--checkpoint-every is for the file of --checkpoint; add --checkpoint "
                            "FILE");
    }
    if (!crs_given(a, CRS_OPT_CHECKPOINT) && !crs_given(a, CRS_OPT_RESUME)) return true;
    struct crs_checkpoint *c = a->checkpoint = crs_alloc(1, sizeof *c);
    if (!c) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a checkpoint");
    c->a = a;
    if (!paths(a, c, e)) return false;
    c->image = crease_checkpoint_new(larger(every, least), save, c, e);
    if (!c->image || (c->resumed && !load(c, e)) || !bind_options(a, e)) return false;
    crease_watch_checkpoint(a->watch, c->image);
    return true;
}

/* What there is to say of it, and its end: it goes when the run is complete. */
static void conclude(const crs_args *a, const struct crs_checkpoint *c, bool done)
{
    const crease_checkpoint_facts about = crease_checkpoint_about(c->image);
    const bool complete = done && !about.cut && *a->status != CRS_EXIT_LIMIT;
    if (!complete) crease_checkpoint_write(c->image);
    const bool there = access(c->path, F_OK) == 0;
    const bool ours = about.saved > 0 || c->resumed;
    if (complete && there && ours) unlink(c->path);
    if (about.why) crs_log_note(a, "no checkpoint was made since some time: %s", about.why);
    if (about.misfit)
        crs_log_note(a, "%s did not fit in all parts, which were computed anew", c->resumed);
    if (about.refused && !complete)
        crs_log_note(a, "the method at hand cannot go on in its middle: a resumed run begins it "
                        "anew");
    if (about.reused > 0)
        crs_log_note(a, "resumed from %s: %ld finished part%s%s", c->resumed, about.reused,
                     about.reused == 1 ? "" : "s", about.amidst ? " and one in its middle" : "");
    else if (about.amidst)
        crs_log_note(a, "resumed from %s: one part in its middle", c->resumed);
    if (complete && there && ours)
        crs_log_note(a, "the checkpoint %s is removed: the run is complete", c->path);
    else if (!complete && there && ours)
        crs_log_note(a, "to go on: the same command with --resume %s", c->path);
    else
        crs_log_note(a, "no checkpoint: the run %s",
                     complete ? "was complete before one was due" : "had not come far enough");
}

void crs_checkpoint_close(crs_args *a, bool done)
{
    if (!a->checkpoint) return;
    if (a->checkpoint->image && !a->checkpoint->refused && crs_watch_checkpoint(a->watch))
        conclude(a, a->checkpoint, done);
    crease_checkpoint_free(a->checkpoint->image);
    crs_free(a->checkpoint);
    a->checkpoint = NULL;
}
