/* SPDX-License-Identifier: MIT
 * source: a tensor that ranks look at together (crease/mpi.h). Rank 0 makes the calls of robust
 * PCA; the others serve: they look at their own slabs when it asks, until it ends */
#include "io/stream/stream.h"
#include "mpi/handle.h"
#include "regress/rows.h"
#include "rpca/rpca.h"

bool crs_mpi_agree(const crs_mpi_team *t, bool done, crease_error *e)
{
    crease_error why = { CREASE_OK, "" };
    if (!done && e) why = *e;
    if (crs_team_agree(&t->team, done ? -1 : t->team.rank, &why)) return true;
    t->team.tell(t->team.self, &why, sizeof why);
    if (e) *e = why;
    return false;
}

static bool has_none(const crease_mpi *m, crease_error *e)
{
    return !m->source ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "rank %d has a source over ranks open already; free it first", m->rank);
}

/* While a source is in common use the others may be serving: nothing can be agreed upon then. */
static bool is_busy(const crease_mpi *m, crease_error *e)
{
    return m->source && !m->ended && !has_none(m, e);
}

/* Every other rank comes here, whatever it thinks of its arguments. */
static bool begin(crease_mpi *m, crease_error *e)
{
    if (!m->joined) crs_mpi_team_open(&m->team, m->world, crs_instructions());
    m->joined = true;
    return has_none(m, e);
}

bool crs_mpi_same_shape(const crs_mpi_team *t, const crease_space *own, crease_error *e)
{
    crease_space first = { .order = 0 };
    if (own) first = *own;
    t->team.tell(t->team.self, &first, sizeof first);
    if (!own || first.order == 0 || crease_space_equal(&first, own)) return own;
    return crs_fail(e, CREASE_BAD_SHAPE,
                    "rank %d has a tensor of another shape than rank 0; give all the same",
                    t->team.rank);
}

/* Rank 0 is told so, as soon as it looks; until it ends. */
static void refuse(crease_mpi *m)
{
    static const crs_job *const none[] = { NULL };
    char sentence[120];
    snprintf(sentence, sizeof sentence, "rank %d has left without serving; see what it says",
             m->rank);
    const crs_team_service service = { .jobs = none,
                                       .source = m->source->slabs,
                                       .refuses = sentence };
    crs_team_serve(&m->team.team, &service);
    m->ended = true;
    crs_source_alone(m->source->slabs);
}

static void forget(void *user)
{
    crease_mpi *m = user;
    if (m->rank == 0) crease_mpi_end(m);
    if (!m->ended) refuse(m);
    m->source = NULL;
}

/* NULL on every rank where one of them has none. */
static crease_source *join(crease_mpi *m, crease_source *s, crease_error *e)
{
    const bool alike = crs_mpi_same_shape(&m->team, s ? crease_source_shape(s) : NULL, e);
    if (!crs_mpi_agree(&m->team, alike, e)) return crease_source_free(s), NULL;
    s->leave = forget;
    s->user = m;
    m->source = s;
    m->ended = false;
    if (!s->slabs->team && s->slabs->cut.count > 1) crs_team_share(&m->team.team, s->slabs);
    return s;
}

/* The sentence of a rank with its number. */
static crease_source *numbered(const crease_mpi *m, crease_source *s, const crease_error *why,
                               crease_error *e)
{
    if (!s) crs_fail(e, why->code, "rank %d: %.350s", m->rank, why->text);
    return s;
}

crease_source *crease_mpi_file(crease_mpi *m, const char *path, double bytes, bool missing,
                               crease_error *e)
{
    crease_error why = { CREASE_OK, "" };
    const crs_stream_settings set = {
        .bytes = bytes, .missing = missing, .part = m->rank, .parts = m->size
    };
    if (is_busy(m, e)) return NULL;
    crease_source *s = begin(m, &why) ? crs_stream_hand(path, &set, &why) : NULL;
    return join(m, numbered(m, s, &why, e), e);
}

crease_source *crease_mpi_function(crease_mpi *m, const crease_space *shape, crease_load *load,
                                   void *user, double bytes, bool missing, crease_error *e)
{
    crease_error why = { CREASE_OK, "" };
    const crs_bringing b = { shape, load, user, bytes, missing, m->rank, m->size };
    if (is_busy(m, e)) return NULL;
    crease_source *s = begin(m, &why) ? crs_source_bring(&b, &why) : NULL;
    return join(m, numbered(m, s, &why, e), e);
}

crease_source *crease_mpi_part(crease_mpi *m, const crease_space *shape, ptrdiff_t first,
                               ptrdiff_t count, const double *local, bool missing, crease_error *e)
{
    const crs_mpi_part p = { *shape, first, count, local, missing };
    if (is_busy(m, e)) return NULL;
    const bool begun = begin(m, e);
    if (!crs_mpi_agree(&m->team, begun, e)) return NULL;
    return join(m, crs_source_hand(crs_mpi_part_open(&m->team, &p, e), e), e);
}

bool crease_mpi_serve(crease_mpi *m, crease_source *s, crease_error *e)
{
    static const crs_job *const jobs[] = { CRS_RPCA_JOBS, CRS_ROWS_JOBS, NULL };
    if (!s || m->source != s || m->ended)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "rank %d has nothing to serve: its source is not open over these ranks",
                        m->rank);
    if (m->rank == 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "rank 0 cannot serve; it makes the calls that the others serve");
    const crs_team_service service = { .jobs = jobs, .source = s->slabs };
    crs_team_serve(&m->team.team, &service);
    m->ended = true;
    crs_source_alone(s->slabs);
    return true;
}

void crease_mpi_end(crease_mpi *m)
{
    if (m->rank > 0 || !m->source || m->ended) return;
    m->ended = true;
    crs_team_end(&m->team.team);
    crs_source_alone(m->source->slabs);
}

void crs_mpi_leave(crease_mpi *m)
{
    crease_mpi_end(m);
    if (m->source && !m->ended) refuse(m);
    if (m->source) m->source->leave = NULL;
    if (m->joined) crs_mpi_team_close(&m->team);
}
