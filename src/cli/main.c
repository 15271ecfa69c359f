/* SPDX-License-Identifier: MIT
 * main: the program of one process */
#include "cli/cli.h"

int main(int argc, char **argv) { return crs_program(argc, argv, NULL); }
