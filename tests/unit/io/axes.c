/* SPDX-License-Identifier: MIT
 * axes: what dimensions are called survives JSON, slices and merges; specs of the command line mean
 * what they say, and odd ones are refused with a sentence */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

#include "io/result/result.h"

static uint64_t state = 1;
static unsigned draw(unsigned most)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % most;
}

/* A word of letters, some beyond ASCII, quotes and separators. */
static void word(char out[64])
{
    static const char *const piece[] = {
        "a", "Z", "7", "µ", "°", "\"", ",", ":", "|", "é", " ", "="
    };
    out[0] = '\0';
    for (unsigned k = 0, n = 1 + draw(8); k < n; k++) strcat(out, piece[draw(12)]);
}

static void draw_axis(crs_axis *a, ptrdiff_t length)
{
    char name[64], unit[64], text[64];
    double at[9];
    char *label[9];
    word(name), word(unit);
    assert_true(crs_axis_name(a, draw(4) ? name : NULL, draw(2) ? unit : NULL, NULL));
    const unsigned kind = draw(3);
    for (ptrdiff_t k = 0; k < length; k++) {
        at[k] = ldexp((double)draw(1u << 30) - 5e8, (int)draw(80) - 40);
        word(text);
        label[k] = strdup(text);
    }
    if (kind == 1) assert_true(crs_axis_at(a, length, at, NULL));
    if (kind == 2) assert_true(crs_axis_labels(a, length, (const char *const *)label, NULL));
    for (ptrdiff_t k = 0; k < length; k++) free(label[k]);
}

static void same_text(const char *a, const char *b)
{
    assert_true(!a == !b);
    if (a) assert_string_equal(a, b);
}

static void same_axis(const crs_axis *a, const crs_axis *b)
{
    same_text(a->name, b->name);
    same_text(a->unit, b->unit);
    assert_int_equal(a->count, b->count);
    assert_true(!a->at == !b->at && !a->label == !b->label);
    for (ptrdiff_t k = 0; k < a->count; k++) {
        if (a->at) assert_true(a->at[k] == b->at[k]);
        if (a->label) assert_string_equal(a->label[k], b->label[k]);
    }
}

static void random_axes_survive_json(void **unused)
{
    (void)unused;
    for (int round = 0; round < 300; round++) {
        const int order = 1 + (int)draw(5);
        crs_axes a = { .axis = { { .name = NULL } } }, b;
        crs_document d;
        crease_error e;
        int found;
        for (int n = 0; n < order; n++) draw_axis(&a.axis[n], 1 + (ptrdiff_t)draw(9));
        const crs_spot top = crs_document_begin(&d, NULL);
        crs_put_axes(top, "axes", &a, order);
        char *text = json_dumps(d.root, JSON_REAL_PRECISION(17));
        json_t *root = json_loads(text, 0, NULL);
        assert_non_null(root);
        if (!crs_axes_in(json_object_get(root, "axes"), "x", &b, &found, &e))
            fail_msg("%s", e.text);
        if (crs_axes_known(&a, order)) assert_int_equal(found, order);
        for (int n = 0; n < order && found; n++) same_axis(&a.axis[n], &b.axis[n]);
        free(text);
        json_decref(root);
        crs_document_free(&d);
        crs_axes_free(&a);
        crs_axes_free(&b);
    }
}

static void json_refused(const char *text, const char *wanted)
{
    crs_axes a;
    crease_error e = { CREASE_OK, "" };
    int order;
    json_t *root = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(root);
    if (crs_axes_in(root, "x.json", &a, &order, &e)) fail_msg("accepted: %s", text);
    if (!strstr(e.text, wanted)) fail_msg("'%s' is not in: %s", wanted, e.text);
    assert_false(crs_axes_known(&a, CREASE_MAX_ORDER));
    json_decref(root);
}

static void odd_json_is_refused(void **unused)
{
    char text[6000], label[5000];
    (void)unused;
    json_refused("[1]", "axis 0");
    json_refused("[{\"nmae\": \"x\"}]", "unknown key 'nmae'");
    json_refused("[null, {\"numbers\": [1, null]}]", "axis 1");
    json_refused("[{\"labels\": [\"a\", 2]}]", "texts");
    json_refused("[{\"numbers\": [1], \"labels\": [\"a\"]}]", "give one of them");
    json_refused("[{\"numbers\": 3}]", "lists");
    json_refused("{}", "list");
    json_refused("[{},{},{},{},{},{},{},{},{}]", "at most 8");
    memset(label, 'x', sizeof label), label[4097] = '\0';
    snprintf(text, sizeof text, "[{\"labels\": [\"%s\"]}]", label);
    json_refused(text, "4097 bytes");
}

static crs_axes parsed(const char *text, const crease_space *s)
{
    crs_axes a;
    crease_error e;
    if (!crs_axes_parse(text, s, &a, &e)) fail_msg("refused: %s\n%s", e.text, text);
    return a;
}

static void spec_refused(const char *text, const crease_space *s, const char *wanted)
{
    crs_axes a;
    crease_error e = { CREASE_OK, "" };
    if (crs_axes_parse(text, s, &a, &e)) fail_msg("accepted: %s", text);
    if (!strstr(e.text, wanted)) fail_msg("'%s' is not in: %s", wanted, e.text);
}

static void specs_mean_what_they_say(void **unused)
{
    const crease_space s = { .order = 3, .dim = { 2, 4, 3 } };
    char text[80];
    (void)unused;
    crs_axes a = parsed("sample:a|b,emission:nm:270..570,::-1|0|2.5", &s);
    assert_string_equal(a.axis[0].name, "sample");
    assert_string_equal(a.axis[0].label[1], "b");
    for (int k = 0; k < 4; k++) assert_true(a.axis[1].at[k] == 270 + 100 * k);
    assert_true(a.axis[2].at[0] == -1 && a.axis[2].at[2] == 2.5 && !a.axis[2].name);
    crs_axis_text(&a, 1, 1, text, sizeof text);
    assert_string_equal(text, "emission 370 nm");
    crs_axis_text(&a, 0, 1, text, sizeof text);
    assert_string_equal(text, "sample b");
    crs_axes_free(&a);
    a = parsed(",x,", &s);
    assert_false(a.axis[0].name || a.axis[2].name);
    crs_axis_text(&a, 1, 2, text, sizeof text);
    assert_string_equal(text, "x 3");
    crs_axes_free(&a);
    spec_refused("a,b", &s, "names 2 dimensions and the data have 3");
    spec_refused("a:x|y|z,b,c", &s, "more than 2 values");
    spec_refused("a:x|,b:m:7,c", &s, "write its values");
    spec_refused("a,b:m:nan..3,c", &s, "finite");
    spec_refused("a,b:m:1..inf,c", &s, "finite");
    spec_refused("a:@/nowhere/x,b,c", &s, "cannot be opened");
}

/* Slices and merges do to labels what they do to indices. */
static void labels_follow_indices(void **unused)
{
    const crease_space s = { .order = 3, .dim = { 2, 3, 4 } };
    (void)unused;
    crs_axes a = parsed("s:a|b,t:K:1|2|4,u:p|q|r|s", &s);
    crs_axis_slice(&a.axis[2], 1, 2, 2);
    assert_int_equal(a.axis[2].count, 2);
    assert_string_equal(a.axis[2].label[0], "q");
    assert_string_equal(a.axis[2].label[1], "s");
    const crease_space cut = { .order = 3, .dim = { 2, 3, 2 } };
    assert_true(crs_axes_merge(&a, &cut, 1, 2, NULL));
    assert_string_equal(a.axis[1].name, "t x u");
    assert_int_equal(a.axis[1].count, 6);
    assert_string_equal(a.axis[1].label[0], "1 K, q");
    assert_string_equal(a.axis[1].label[5], "4 K, s");
    assert_false(a.axis[2].name || a.axis[2].count);
    crs_axes_free(&a);
}

static void the_first_difference_is_named(void **unused)
{
    const crease_space s = { .order = 2, .dim = { 2, 3 } };
    char why[200];
    (void)unused;
    crs_axes a = parsed("s:a|b,t:K:1|2|4", &s), b = parsed("s:a|c,t:K:1|2|4", &s);
    assert_true(crs_axes_agree(&a, &b, 2, 0, "one", "two", why));
    assert_false(crs_axes_agree(&a, &b, 2, -1, "one", "two", why));
    assert_string_equal(why, "index 2 of s is b in one and c in two");
    crs_axes_free(&b);
    b = parsed(",t:K", &s);
    assert_true(crs_axes_agree(&a, &b, 2, -1, "one", "two", why)); /* what is not known */
    crs_axes_free(&b);
    b = parsed("s,t:C:1|2|4", &s);
    assert_false(crs_axes_agree(&a, &b, 2, -1, "one", "two", why));
    assert_non_null(strstr(why, "unit of t"));
    crs_axes_free(&b);
    b = parsed("s,t:K:x|y|z", &s);
    assert_false(crs_axes_agree(&a, &b, 2, -1, "one", "two", why));
    crs_axes_free(&b);
    crs_axes_free(&a);
}

static void odd_labels_are_told(void **unused)
{
    const char *const twice[] = { "\xB5m", "x", "x" };
    char notice[200] = "";
    crs_axes a = { .axis = { { .name = NULL } } };
    (void)unused;
    assert_true(crs_axis_labels(&a.axis[0], 3, twice, NULL));
    assert_true(crs_axes_tidy(&a, 1, notice, sizeof notice, NULL));
    assert_string_equal(a.axis[0].label[0], "µm");
    assert_non_null(strstr(notice, "Latin-1"));
    assert_non_null(strstr(notice, "repeat, as 'x'"));
    crs_axes_free(&a);
    const double bad[] = { 1, NAN };
    crease_error e;
    assert_false(crs_axis_at(&a.axis[0], 2, bad, &e));
    assert_non_null(strstr(e.text, "not finite"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_axes_survive_json),      cmocka_unit_test(odd_json_is_refused),
        cmocka_unit_test(specs_mean_what_they_say),      cmocka_unit_test(labels_follow_indices),
        cmocka_unit_test(the_first_difference_is_named), cmocka_unit_test(odd_labels_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
