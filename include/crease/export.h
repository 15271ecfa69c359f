/* SPDX-License-Identifier: MIT
 * export.h: what the shared library shows; everything else is hidden */
#ifndef CREASE_EXPORT_H
#define CREASE_EXPORT_H

#ifdef __FAST_MATH__
#error "crease relies on NaN and on exact zeros: compile without -ffast-math (and without -Ofast)"
#endif

#if defined(__GNUC__)
#define CREASE_API __attribute__((visibility("default")))
#else
#define CREASE_API
#endif

#endif
