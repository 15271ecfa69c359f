/* SPDX-License-Identifier: MIT
 * comm: the two reductions of a space over the ranks of MPI (crease/mpi.h)
 *
 * Rank r + 2^k gives to rank r, k = 0, 1, ..., while 2^k divides r: a tree by the number of ranks
 * alone. The first message of a reduction carries what was asked for and up to FEW numbers; the
 * others follow once all ranks are known to want the same. */
#include "mpi/handle.h"

enum { SUM = 1, MAX, CLOSE };
enum { KIND, COUNT, RANK, TROUBLE, HEAD, FEW = 28, TAG = 1 };

/* What is wrong with a reduction, by the number in its head. */
enum { NONE, APART, NO_ROOM };

const crease_comm *crease_mpi_comm(const crease_mpi *m) { return &m->comm; }

bool crease_mpi_sound(const crease_mpi *m, crease_error *e)
{
    if (m->why.code == CREASE_OK) return true;
    if (e) *e = m->why;
    return false;
}

/* MPI's own error ends the common work. */
static bool went_well(crease_mpi *m, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS) return true;
    MPI_Error_string(code, text, &length);
    return crs_fail(&m->why, CREASE_IO, "MPI on rank %d: %.300s; the ranks work together no more",
                    m->rank, text);
}

/* own becomes what it is together with what came from a rank above. */
typedef void combine(double *own, const double *other, int n);

static void add(double *own, const double *other, int n)
{
    for (int j = 0; j < n; j++) own[j] += other[j];
}

static void maximize(double *own, const double *other, int n)
{
    for (int j = 0; j < n; j++) own[j] = larger(own[j], other[j]);
}

/* Heads that differ: RANK becomes that of one who closes, or else of the one above. */
static void compare(double *own, const double *other, int n)
{
    if (own[TROUBLE] != NONE) return;
    const bool same = own[KIND] == other[KIND] && own[COUNT] == other[COUNT];
    if (other[TROUBLE] != NONE) {
        copy(HEAD, other, own);
    } else if (!same) {
        if (own[KIND] != CLOSE) own[RANK] = other[RANK], own[KIND] = other[KIND];
        own[TROUBLE] = APART;
    } else {
        (own[KIND] == SUM ? add : maximize)(own + HEAD, other + HEAD, n - HEAD);
    }
}

/* v on every rank: of all ranks together. */
static bool unite(crease_mpi *m, double *v, double *other, int n, combine *with)
{
    for (int step = 1; step < m->size; step *= 2) {
        if (m->rank & step) {
            if (!went_well(m, MPI_Send(v, n, MPI_DOUBLE, m->rank - step, TAG, m->world)))
                return false;
            break;
        }
        if (m->rank + step >= m->size) continue;
        if (!went_well(m, MPI_Recv(other, n, MPI_DOUBLE, m->rank + step, TAG, m->world,
                                   MPI_STATUS_IGNORE)))
            return false;
        with(v, other, n);
    }
    return went_well(m, MPI_Bcast(v, n, MPI_DOUBLE, 0, m->world));
}

static bool make_room(crease_mpi *m, ptrdiff_t n)
{
    if (n <= m->most) return true;
    double *room = crs_resize(m->room, (size_t)n, sizeof *room);
    if (!room) return false;
    m->room = room;
    m->most = n;
    return true;
}

/* Do all ranks ask for this? The numbers in the head are then those of all of them. */
static bool meets(crease_mpi *m, double *head, bool room)
{
    const double asked = head[KIND];
    double other[HEAD + FEW];
    head[TROUBLE] = room ? NONE : NO_ROOM;
    head[RANK] = m->rank;
    if (!unite(m, head, other, HEAD + FEW, compare)) return false;
    if (head[TROUBLE] == NONE) return true;
    const int rank = (int)head[RANK];
    if (head[TROUBLE] == NO_ROOM)
        return crs_fail(&m->why, CREASE_NO_MEMORY,
                        "rank %d is out of memory in a reduction; use more ranks or a smaller "
                        "problem",
                        rank);
    if (head[KIND] != CLOSE)
        return crs_fail(&m->why, CREASE_BAD_ARGUMENT,
                        "rank %d makes another call than the others; make the same ones on all "
                        "ranks",
                        rank);
    return asked != CLOSE && crs_fail(&m->why, CREASE_BAD_ARGUMENT,
                                      "rank %d has closed its handle while others went on; see "
                                      "what it says",
                                      rank);
}

static void reduce(crease_mpi *m, int kind, double *v, int n)
{
    const int few = n < FEW ? n : FEW, more = n - few;
    double head[HEAD + FEW] = { [KIND] = kind, [COUNT] = n };
    bool done = m->why.code == CREASE_OK;
    copy(few, v, head + HEAD);
    done = done && meets(m, head, make_room(m, more));
    done = done && (more == 0 || unite(m, v + few, m->room, more, kind == SUM ? add : maximize));
    if (done)
        copy(few, head + HEAD, v);
    else
        fill(n, NAN, v);
}

static void sum(const void *self, double *v, int n)
{
    reduce(((const crs_mpi_door *)self)->of, SUM, v, n);
}
static void max(const void *self, double *v, int n)
{
    reduce(((const crs_mpi_door *)self)->of, MAX, v, n);
}

static bool can_open(MPI_Comm comm, crease_error *e)
{
    int begun = 0, ended = 0, inter = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (!begun || ended)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "MPI %s; open a handle between MPI_Init and "
                        "MPI_Finalize",
                        begun ? "has ended" : "has not begun");
    if (comm == MPI_COMM_NULL)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the communicator is MPI_COMM_NULL; give one that this rank belongs to");
    MPI_Comm_test_inter(comm, &inter);
    return !inter || crs_fail(e, CREASE_BAD_ARGUMENT,
                              "the communicator joins two groups; give one of one group");
}

crease_mpi *crease_mpi_open(MPI_Comm comm, crease_error *e)
{
    if (!can_open(comm, e)) return NULL;
    crease_mpi *m = crs_alloc(1, sizeof *m);
    int lacks = !m, any = 1;
    if (!m) crs_fail(e, CREASE_NO_MEMORY, "out of memory: a handle of MPI");
    if (MPI_Allreduce(&lacks, &any, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS || any ||
        MPI_Comm_dup(comm, &m->world) != MPI_SUCCESS) {
        if (m) crs_fail(e, CREASE_IO, "a rank could not join the others; see what it says");
        crs_free(m);
        return NULL;
    }
    MPI_Comm_set_errhandler(m->world, MPI_ERRORS_RETURN);
    MPI_Comm_rank(m->world, &m->rank);
    MPI_Comm_size(m->world, &m->size);
    m->self.of = m;
    m->comm = (crease_comm){ sum, max, &m->self };
    return m;
}

void crease_mpi_close(crease_mpi *m)
{
    int ended = 0;
    if (!m) return;
    MPI_Finalized(&ended);
    double head[HEAD + FEW] = { [KIND] = CLOSE };
    if (!ended) crs_mpi_leave(m);
    if (!ended && m->why.code == CREASE_OK) (void)meets(m, head, true);
    if (!ended) MPI_Comm_free(&m->world);
    crs_free(m->room);
    crs_free(m);
}
