/* SPDX-License-Identifier: MIT
 * share: the rows of a check of robust PCA in stretches, whose sums are added up by one tree
 *
 * How many stretches there are follows from the shape. Stretches 2^l j .. 2^l (j + 1) - 1 are added
 * up, in two halves, before others come; what is left at the end from the last to the first. A
 * process has consecutive stretches, adds up what it has all of, and rank 0 the rest: the tree, and
 * so every bit, is the same for any number of processes. */
#include "verify/rpca/cp.h"

enum { ROWS = 16, ENTRIES = 1 << 20, WHOLE = 1 << 22, MOST = 512 }; /* of a stretch; of them */
enum { PIECE = 1 << 14, WORDS = 2 };                                /* numbers that go at once */

ptrdiff_t crs_cp_stretches(const crease_cp_claim *c)
{
    const ptrdiff_t by_rows = c->left / ROWS, by_entries = c->left * c->right / ENTRIES;
    ptrdiff_t count = by_rows < by_entries ? by_rows : by_entries;
    if (c->left * c->right <= WHOLE || count < 1) count = 1;
    return count < MOST ? count : MOST;
}

/* a * b / c without leaving the range */
static ptrdiff_t part_of(ptrdiff_t a, ptrdiff_t b, ptrdiff_t c)
{
    return a / c * b + a % c * b / c;
}

ptrdiff_t crs_cp_stretch(const crs_cp_check *k, ptrdiff_t s)
{
    return part_of(k->c->left, s, k->stretches);
}

ptrdiff_t crs_cp_share(const crs_cp_check *k, int rank)
{
    return k->c->with ? part_of(k->stretches, rank, k->c->with->size) : rank * k->stretches;
}

ptrdiff_t crs_cp_node_mode(const crs_cp_check *k, int n)
{
    ptrdiff_t at = CRS_CP_SUMS + 1;
    for (int m = k->split; m < n; m++) at += k->c->shape.dim[m] * k->c->rank;
    return at;
}

static ptrdiff_t node_size(const crs_cp_check *k) { return crs_cp_node_mode(k, k->c->shape.order); }

/* Rank 0 has room for all nodes that there are at once, so that nothing fails between processes. */
bool crs_cp_nodes_open(crs_verifier *v, crs_cp_check *k)
{
    const crease_checkers *with = k->c->with;
    int most = 1;
    for (ptrdiff_t s = k->stretches - 1; s > 0; s /= 2) most++;
    for (int j = 0; j < most && (!with || with->rank == 0); j++)
        k->node[j].at = crs_reals(v, node_size(k));
    if (with) k->words = crs_room(v, WORDS * PIECE, sizeof *k->words);
    return !v->no_memory;
}

crs_cp_node *crs_cp_node_begin(crs_verifier *v, crs_cp_check *k, ptrdiff_t s)
{
    crs_cp_node *node = &k->node[k->nodes];
    if (!node->at) node->at = crs_reals(v, node_size(k));
    node->from = s;
    node->count = 1;
    for (ptrdiff_t j = 0; node->at && j < node_size(k); j++) node->at[j] = 0;
    return node->at ? node : NULL;
}

/* The last two become one. */
static void join(crs_cp_check *k)
{
    crs_cp_node *to = &k->node[k->nodes - 2];
    const real *from = k->node[k->nodes - 1].at;
    for (ptrdiff_t j = 0; j < node_size(k); j++) to->at[j] += from[j];
    to->count += k->node[k->nodes - 1].count;
    k->nodes--;
}

void crs_cp_node_end(crs_cp_check *k)
{
    k->nodes++;
    while (k->nodes > 1) {
        const crs_cp_node *before = &k->node[k->nodes - 2];
        if (before->count != before[1].count || before->from % (2 * before->count) != 0) return;
        join(k);
    }
}

bool crs_cp_agree(const crs_cp_check *k, bool well, crease_error *e)
{
    const crease_checkers *with = k->c->with;
    return with ? with->agree(with->self, well, e) : well;
}

/* Numbers of one process, which are zeros in the words of the others, to rank 0. */
static void bring(const crs_cp_check *k, bool mine, real *x, ptrdiff_t count)
{
    enum { BYTES = LDBL_MANT_DIG == 64 ? 10 : sizeof(real) }; /* the others are padding */
    const crease_checkers *with = k->c->with;
    for (ptrdiff_t at = 0, now; at < count; at += now) {
        now = count - at < PIECE ? count - at : PIECE;
        for (ptrdiff_t j = 0; j < now; j++) {
            k->words[WORDS * j] = k->words[WORDS * j + 1] = 0;
            if (mine) memcpy(k->words + WORDS * j, &x[at + j], BYTES);
        }
        with->add(with->self, k->words, WORDS * now);
        for (ptrdiff_t j = 0; with->rank == 0 && j < now; j++)
            memcpy(&x[at + j], k->words + WORDS * j, BYTES);
    }
}

/* The stretches of a process as nodes that others can be added to. */
static ptrdiff_t whole_from(ptrdiff_t from, ptrdiff_t end)
{
    ptrdiff_t count = 1;
    while (from % (2 * count) == 0 && from + 2 * count <= end) count *= 2;
    return count;
}

static void bring_nodes(crs_cp_check *k, int rank)
{
    const bool mine = k->c->with->rank == rank, leads = k->c->with->rank == 0;
    const ptrdiff_t end = crs_cp_share(k, rank + 1);
    int own = 0;
    for (ptrdiff_t from = crs_cp_share(k, rank), count; from < end; from += count) {
        count = whole_from(from, end);
        crs_cp_node *node = leads ? &k->node[k->nodes] : &k->node[mine ? own++ : 0];
        bring(k, mine, node->at, node_size(k));
        if (!leads) continue;
        node->from = from;
        node->count = count;
        crs_cp_node_end(k);
    }
}

void crs_cp_unite(crs_cp_check *k)
{
    const crease_checkers *with = k->c->with;
    const ptrdiff_t rank = k->c->rank;
    for (int r = 1; with && r < with->size; r++) {
        const ptrdiff_t first = crs_cp_stretch(k, crs_cp_share(k, r));
        const ptrdiff_t end = crs_cp_stretch(k, crs_cp_share(k, r + 1));
        real *rows = with->rank == 0 ? k->rows + first * rank : k->rows;
        bring(k, with->rank == r, rows, (end - first) * rank);
        bring_nodes(k, r);
    }
    if (with && with->rank > 0) return;
    while (k->nodes > 1) join(k);
    const real *all = k->node[0].at;
    for (int s = 0; s < CRS_CP_SUMS; s++) k->sum[s] = all[s];
    k->rows_length = sqrtl(all[CRS_CP_SUMS]);
    k->columns = all + crs_cp_node_mode(k, k->split);
}
