/* SPDX-License-Identifier: MIT
 * signals: the program owns them, the library never sees them. The first SIGINT or SIGTERM asks
 * the solver to stop after its iteration, the second ends the program at once. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <unistd.h>

#include "cli/run.h"

static crs_stop *volatile ask;
static void *volatile running;
static volatile sig_atomic_t caught;
static struct sigaction before[2];
static const int watched[2] = { SIGINT, SIGTERM };

static void stop(int number)
{
    if (caught) _exit(128 + number);
    caught = number;
    if (running) ask(running);
}

void crs_signals_enter(crs_stop *call, void *self)
{
    struct sigaction own = { .sa_handler = stop };
    sigemptyset(&own.sa_mask);
    ask = call;
    running = self;
    caught = 0;
    for (int k = 0; k < 2; k++) sigaction(watched[k], &own, &before[k]);
}

bool crs_signals_caught(void) { return caught; }

int crs_signals_leave(void)
{
    running = NULL;
    for (int k = 0; k < 2; k++) sigaction(watched[k], &before[k], NULL);
    return (int)caught;
}
