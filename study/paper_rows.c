/* SPDX-License-Identifier: MIT
 * paper_rows: the rows of the paper's tables, their printed figures, and the methods' parameters
 *
 * H_i = (beta/2) I and beta = 4 (ADMM-g), H_i = (2 beta/5) I and beta = 5 (ADMM-m): delta = 2 in
 * both, and in proximal BCD, whose delta the paper does not say. The update of Z is printed with
 * 2 delta. */
#include "reg/reg.h"
#include "study/paper.h"

crs_paper_row crs_paper_row_at(int table, int row)
{
    static const ptrdiff_t rows[CRS_PAPER_ROWS][4] = {
#define PAPER_ROW(row, a, b, c, rank) [(row)-1] = { a, b, c, rank },
#include "study/paper.def"
#undef PAPER_ROW
    };
    const ptrdiff_t *r = rows[row - 1], rank = r[3];
    const ptrdiff_t guess = table == 1 ? rank : table == 2 ? rank + 1 : rank + (rank + 4) / 5;
    return (crs_paper_row){ table, row, { 3, { r[0], r[1], r[2] }, NULL }, rank, guess };
}

crs_paper_cell crs_paper_cell_at(int table, int row, crs_paper_method method)
{
    static const crs_paper_cell cells[CRS_PAPER_TABLES][CRS_PAPER_ROWS][CRS_PAPER_METHODS] = {
#define PAPER_CELL(table, row, method, iter, err, num, iter1, err1, num1, of1, iter2, err2, num2)  \
    [(table)-1][(row)-1][CRS_PAPER_##method] = { { iter, err, num, CRS_PAPER_INSTANCES },          \
                                                 { iter1, err1, num1, of1 },                       \
                                                 { iter2, err2, num2, 20 } },
#include "study/paper.def"
#undef PAPER_CELL
    };
    return cells[table - 1][row - 1][method];
}

crs_cp_settings crs_paper_settings(const crs_paper_row *row, crs_paper_method method)
{
    const ptrdiff_t *dim = row->shape.dim;
    const double delta = method == CRS_PAPER_BCD ? 0 : 2;
    crs_cp_settings c = { .shape = row->shape, .rank = row->rank, .method = CRS_CP_BCD };
    if (method == CRS_PAPER_ADMM_G) c.method = CRS_CP_ADMM_G, c.beta = 4; /* gamma = 1/beta */
    if (method == CRS_PAPER_ADMM_M) c.method = CRS_CP_ADMM_M, c.beta = 5; /* L = 2 alpha_N */
    c.h_factor = c.h_sparse = delta;
    c.h_z = 2 * delta;
    c.penalty.weight = 2 / sqrt((double)more(dim[0], more(dim[1], dim[2])));
    c.alpha_noise = 1;
    c.penalty.rho = &crs_l1;
    c.penalty.par[0] = 1;
    c.threads = 1;
    return c;
}
