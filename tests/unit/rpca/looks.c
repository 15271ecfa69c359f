/* SPDX-License-Identifier: MIT
 * looks: every model of robust PCA is seen at work in all its phases, leaves a history that ends
 * with its certificate, in the unit of the data, and stops wherever a look says so */
#include <crease/rpca_tools.h>

#include "support/test.h"

typedef struct {
    long calls, most;
    bool phase[CREASE_PHASE_COUNT];
    double seconds;
} seen;

static bool note(const crease_state *now, void *user)
{
    seen *s = user;
    assert_true(now->seconds >= s->seconds && now->message);
    assert_true(isnan(now->fraction) || (now->fraction >= 0 && now->fraction <= 1));
    s->seconds = now->seconds;
    s->phase[now->phase] = true;
    return ++s->calls < s->most;
}

static crease_rpca_settings settings(crease_rpca_kind kind, crease_space *shape)
{
    *shape = kind == CREASE_RPCA_BALL || kind == CREASE_RPCA_PCP
                 ? crease_matrix(14, 11)
                 : (crease_space){ .order = 3, .dim = { 9, 8, 7 } };
    crease_rpca_settings s = crease_rpca_default(shape);
    s.kind = kind;
    s.threads = 1;
    return s;
}

/* A run of data times `unit`, with a look at every question; false: it was cut before there was a
 * handle. */
static bool run(crease_rpca_kind kind, double unit, crease_watch *w, seen *s, crease_outcome *how,
                crease_certificate *c)
{
    crease_space shape;
    const crease_rpca_settings model = settings(kind, &shape);
    const crease_cp_recipe recipe = {
        .shape = shape, .rank = 2, .outliers = 0.05, .magnitude = 3, .noise = 0.01, .seed = 4
    };
    crease_error e = { CREASE_OK, "" };
    crease_cp_instance *data = crease_cp_generate(&recipe, &e);
    if (!data) fail_msg("%s", e.text);
    for (ptrdiff_t j = 0; j < crease_size(&shape); j++) data->tensor[j] *= unit;
    crease_options o = crease_rpca_options();
    o.watch = w;
    crease_watch_look(w, note, s, 1e-9);
    crease_rpca *r = crease_rpca_new(&model, &o, data->tensor, &e);
    if (!r) assert_int_equal(e.code, CREASE_CUT);
    if (r) *how = crease_rpca_run(r);
    if (r) *c = *crease_rpca_certificate(r);
    crease_rpca_free(r);
    crease_cp_instance_free(data);
    return r;
}

static void every_model_is_seen_in_its_phases(void **state)
{
    (void)state;
    for (int kind = CREASE_RPCA_CP; kind <= CREASE_RPCA_PCP; kind++)
        for (int far = 0; far < 2; far++) {
            crease_watch *w = crease_watch_new(NULL);
            seen s = { .most = 2000000000 };
            crease_outcome how = CREASE_NOT_RUN;
            crease_certificate c;
            assert_true(run((crease_rpca_kind)kind, far ? 1e60 : 1, w, &s, &how, &c));
            assert_int_equal(how, CREASE_STATIONARY);
            assert_true(s.phase[CREASE_PHASE_START] && s.phase[CREASE_PHASE_FIT]);
            assert_true(s.phase[CREASE_PHASE_CERTIFY]);
            assert_true(s.phase[CREASE_PHASE_RANK] || kind == CREASE_RPCA_PCP);
            const crease_progress last = crease_watch_row(w, crease_watch_rows(w) - 1);
            assert_int_equal(last.phase, CREASE_PHASE_FIT);
            assert_close(last.worst_relative, c.worst_relative, 1e-12 * c.worst_relative);
            assert_close(last.objective / c.objective, 1, 1e-9);
            crease_watch_free(w);
        }
}

/* After the k-th look for k = 1, 2, 4, ...: cut, or stopped with a certificate, never a crash. */
static void a_look_stops_every_model_anywhere(void **state)
{
    (void)state;
    for (int kind = CREASE_RPCA_CP; kind <= CREASE_RPCA_PCP; kind++)
        for (long most = 1;; most *= 2) {
            crease_watch *w = crease_watch_new(NULL);
            seen s = { .most = most };
            crease_outcome how = CREASE_NOT_RUN;
            crease_certificate c;
            const bool there = run((crease_rpca_kind)kind, 1, w, &s, &how, &c);
            const bool asked = s.calls >= most;
            if (there && asked) assert_true(how == CREASE_STOPPED || how == CREASE_STATIONARY);
            if (there) assert_true(c.worst >= 0);
            assert_true(there || asked);
            crease_watch_free(w);
            if (!asked) break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_is_seen_in_its_phases),
        cmocka_unit_test(a_look_stops_every_model_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
