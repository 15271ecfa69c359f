/* SPDX-License-Identifier: MIT
 * format: a libFuzzer target of one format, FUZZED, or of the door of all (gzip, first bytes): any
 * bytes are read, or refused with a sentence. `make fuzz` builds and runs them all. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "support/mutants.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#ifdef FUZZED
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!try_all(&FUZZED, data, n)) abort();
    return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char path[] = "/tmp/crease-fuzz-XXXXXX";
    const int fd = mkstemp(path);
    crs_array a;
    crease_error e = { CREASE_OK, "" };
    if (fd < 0 || write(fd, data, n) != (ssize_t)n) abort();
    close(fd);
    const crs_asked own = { .read_as = n > 0 && data[0] == 0x1f ? "tns" : NULL };
    const bool done = crs_read_asked(path, &own, &a, &e);
    unlink(path);
    if (!judge_reading(done, &a, &e)) abort();
    return 0;
}
#endif
