/* SPDX-License-Identifier: MIT
 * assets.h: inside of the room: page.css and page.js, which the build puts into C, and what page.c
 * shares with trust.c and markup.c */
#ifndef CRS_REPORT_ASSETS_H
#define CRS_REPORT_ASSETS_H

#include <stdarg.h>

#include "report/report.h"

extern const unsigned char crs_page_style[], crs_page_script[];
extern const size_t crs_page_style_size, crs_page_script_size;

void crs_mark_list(crs_markup *m, const char *format, va_list *list);
/* The verdict in words and a mark. */
void crs_put_verdict(crs_markup *m, const crs_page *p);

#endif
