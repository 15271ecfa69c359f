/* SPDX-License-Identifier: MIT
 * fault_shim: for LD_PRELOAD; allocation number FAULT_AT of a program, counted from the start of
 * its main, fails; with FAULT_FOREVER all later ones do, too. With FAULT_COUNT their number is
 * written to that file at the end. Allocations are those of malloc and its kin in every library,
 * and anonymous mappings. Two are left alone: those of the threads library, which ends the program
 * with a sentence of its own, and the first buffers of OpenBLAS, which tries for ever to get them:
 * the program maps as much before, and that may fail. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static atomic_long seen;
static atomic_bool counting;
static long fail_at = -1;
static bool forever;
static char count_path[512];
static const char *spared_from, *spared_to; /* the code of libgomp */

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t alignment, size_t n);

static bool fails(const void *caller)
{
    const char *at = caller;
    if (!atomic_load(&counting) || (at >= spared_from && at < spared_to)) return false;
    const long n = atomic_fetch_add(&seen, 1) + 1;
    if (n != fail_at && !(forever && fail_at > 0 && n > fail_at)) return false;
    errno = ENOMEM;
    return true;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t n) { return fails(CALLER) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return fails(CALLER) ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return fails(CALLER) ? NULL : __libc_realloc(p, n); }
void *memalign(size_t a, size_t n) { return fails(CALLER) ? NULL : __libc_memalign(a, n); }
void *aligned_alloc(size_t a, size_t n) { return fails(CALLER) ? NULL : __libc_memalign(a, n); }

int posix_memalign(void **p, size_t a, size_t n)
{
    void *q = fails(CALLER) ? NULL : __libc_memalign(a, n);
    if (!q) return ENOMEM;
    *p = q;
    return 0;
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    static void *(*real)(void *, size_t, int, int, int, off_t);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "mmap");
    static atomic_int buffers;
    const bool buffer = n == 128 << 20 && fd == -1 && atomic_fetch_add(&buffers, 1) < 2;
    if ((flags & MAP_ANONYMOUS) && !buffer && fails(CALLER)) return MAP_FAILED;
    return real(at, n, protection, flags, fd, offset);
}

static void write_count(void)
{
    atomic_store(&counting, false);
    FILE *f = count_path[0] ? fopen(count_path, "w") : NULL;
    if (!f) return;
    fprintf(f, "%ld\n", atomic_load(&seen));
    fclose(f);
}

static int (*real_main)(int, char **, char **);

static int counted_main(int argc, char **argv, char **environment)
{
    atomic_store(&counting, true);
    return real_main(argc, argv, environment);
}

/* Where the code of libgomp is, from the map of the process. */
static void find_spared(void)
{
    char line[512];
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f)) {
        unsigned long from, to;
        if (!strstr(line, "libgomp") || sscanf(line, "%lx-%lx", &from, &to) != 2) continue;
        if (!spared_from) spared_from = (const char *)from;
        spared_to = (const char *)to;
    }
    if (f) fclose(f);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld)(void), void *end)
{
    int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                void (*)(void), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
    const char *at = getenv("FAULT_AT"), *path = getenv("FAULT_COUNT");
    fail_at = at ? atol(at) : -1;
    forever = getenv("FAULT_FOREVER");
    if (path) snprintf(count_path, sizeof count_path, "%s", path);
    find_spared();
    unsetenv("LD_PRELOAD");
    atexit(write_count);
    real_main = main;
    return real(counted_main, argc, argv, init, fini, rtld, end);
}
