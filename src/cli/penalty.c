/* SPDX-License-Identifier: MIT
 * penalty: the penalty of a model, whose weight is an option of its own */
#include "cli/entry.h"

bool crs_penalty_open(const char *text, crs_named_reg *r, crease_error *e)
{
    char whole[80];
    if (!text) text = "l1";
    for (int k = 0; k < crease_reg_count(); k++) {
        const crease_reg_entry *entry = crease_reg_at(k);
        if (strcmp(entry->name, text) != 0 || crease_param_count(crease_reg_params(entry)) != 1)
            continue;
        snprintf(whole, sizeof whole, "%s:1", text);
        return crs_reg_open(whole, r, e);
    }
    return crs_reg_open(text, r, e);
}
