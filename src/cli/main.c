/* SPDX-License-Identifier: MIT
 * main: the program; one file per verb */
#include <stdio.h>

#include <crease/crease.h>

int main(void)
{
    printf("crease %s\n", crease_version());
    return 0;
}
