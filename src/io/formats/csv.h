/* SPDX-License-Identifier: MIT
 * csv.h: a line of text and its cells */
#ifndef CRS_CSV_H
#define CRS_CSV_H

#include "io/formats/io.h"

/* The cells still to come of a line. A delimiter ' ' stands for any run of blanks. */
typedef struct {
    const char *at, *end;
    char delimiter;
    bool more;
} crs_cells;

/* Cuts the next line off [*at, end): without its end (LF, CR LF or CR), comment and outer blanks.
 * False when the quotes in it do not match. */
bool crs_csv_line(const char **at, const char *end, const char **from, const char **to);

/* What separates cells on this line, outside quotes: the first of ; tab , blank that occurs. */
char crs_csv_delimiter(const char *from, const char *to);

crs_cells crs_csv_cells(const char *from, const char *to, char delimiter);

/* The next cell without outer blanks and quotes, cut to fit `out`; its length before that. */
size_t crs_csv_next(crs_cells *c, char *out, size_t size);

/* The cells of a row of names; free them after a failure too (csv_names.c). */
bool crs_csv_names(const char *from, const char *to, crs_names *out, crease_error *e);

#endif
