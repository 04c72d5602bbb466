/* tests/programs/explore.h -- which draws of digests.c reach what nothing else does: see reach.h and
 * tests/scripts/seeds.py. Seeds from XG_FROM + 1 to XG_FROM + XG_TRIES, of random modules those behind the
 * ones that always run. */
#ifndef XLAGPU_TESTS_EXPLORE_H
#define XLAGPU_TESTS_EXPLORE_H

static xlagpu_device *explored;
static const char *explored_modules[MODULES];
static int explored_count;
static uint64_t explored_from; /* XG_FROM */
static void explore_kind(const kind *is, uint64_t number) {
    digests d;
    memset(&d, 0, sizeof d);
    d.split = is->split;
    reach_begin();
    is->digest(&d, explored, "", number);
    reach_end("digests", is->name, 0, number);
}
static void explore_module(void *user, int k) {
    uint64_t seed = explored_from + 1 + (uint64_t)(k / explored_count);
    digests d;
    memset(&d, 0, sizeof d);
    reach_begin();
    vary_one(&d, explored, explored_modules[k % explored_count], seed);
    reach_end("digests", (const char *)user, k % explored_count, seed);
}
static void explore_medley(void *user, int k) { explore_kind(&medleys, (uint64_t)k + 1 + *(uint64_t *)user); }
static void explore_choice(void *user, int k) { explore_kind(&choices, (uint64_t)k + 1 + *(uint64_t *)user); }
static form_line explored_forms[FORMS];
static void explore_form(void *user, int k) {
    int n = *(int *)user;
    uint64_t seed = explored_from + 1 + (uint64_t)(k / n);
    digests d;
    memset(&d, 0, sizeof d);
    reach_begin();
    vary_form(&d, &explored_forms[k % n], seed);
    reach_end("digests", "forms", k % n, seed);
}
static void explore_file(char *path, int tries) {
    char *text = read_text(path);
    explored_count = modules_of(path, text, explored_modules, MODULES);
    if (explored_count) reach_each(explore_module, path, explored_count * tries);
    free(text);
}
static int explore(const table_flags *t, char **files, int n_files) {
    int tries = atoi(getenv("XG_TRIES")), k, forms;
    uint64_t beyond = (uint64_t)(t->medleys + t->choices);
    explored_from = getenv("XG_FROM") ? strtoull(getenv("XG_FROM"), NULL, 10) : 0;
    beyond += explored_from;
    if (t->medleys) reach_each(explore_medley, &beyond, tries);
    if (t->choices) reach_each(explore_choice, &beyond, tries);
    if (t->forms) {
        forms = form_lines(explored_forms);
        reach_each(explore_form, &forms, forms * tries);
    }
    for (k = 0; k < n_files; k++) explore_file(files[k], tries);
    reach_finish();
    return 0;
}

#endif /* XLAGPU_TESTS_EXPLORE_H */
