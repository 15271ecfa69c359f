/* SPDX-License-Identifier: MIT
 * settings: structs of settings that a later version may make longer
 *
 * The first member is size_t size, set by crease_X_init to what the caller was compiled with. New
 * members are added at the end, never in what was padding, and mean the old behaviour when 0. The
 * library reads its own defaults first and then as many of the caller's bytes as both know. */
#include "core/core.h"

void crs_settings_give(void *to, size_t size, const void *own, size_t own_size)
{
    memset(to, 0, size);
    memcpy(to, own, size < own_size ? size : own_size);
    if (size >= sizeof size) memcpy(to, &size, sizeof size);
}

bool crs_settings_take(const char *name, void *own, size_t own_size, const void *given,
                       crease_error *e)
{
    size_t size;
    if (!given) return true;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the settings of %s have size %zu; begin with crease_%s_default", name,
                        size, name);
    for (size_t k = own_size; k < size; k++)
        if (((const unsigned char *)given)[k] != 0)
            return crs_fail(e, CREASE_UNSUPPORTED,
                            "the settings of %s are %zu bytes, of a later version, and set "
                            "something beyond the %zu that this one knows",
                            name, size, own_size);
    memcpy(own, given, size < own_size ? size : own_size);
    memcpy(own, &own_size, sizeof own_size);
    return true;
}
