/* tests/stages/stages.h -- every stage of the text tests: one include and one row each. */
#include "number.c"
#include "literal.c"
#include "parse.c"
#include "roundtrip.c"
#include "affine.c"
#include "indexing.c"
#include "infer.c"
#include "verify.c"
#include "eval.c"
#include "oracle.c"
#include "ptx.c"
#include "graph.c"
#include "kir.c"
#include "kir_run.c"
#include "pipeline.c"
#include "dynamic.c"
#include "sim.c"
#include "planted.c"
#include "../../src/rooms_sched.h"
#include "sched.c"
#include "tiles.c"
#define STAGES(X) \
    X(sim) \
    X(run) X(counters) X(pass) X(partition) X(emit) X(walks) X(compile) X(plan) X(plan_text) X(plan_steps) \
        X(plan_again) X(thunks) X(listing) X(kinds) X(kir) X(kir_pass) X(kir_made) X(kir_run) X(ptx) X(ptx_legal) \
            X(infer) X(verify) X(number) X(literal) X(parse) X(roundtrip) X(affine) X(indexing) X(eval) X(oracle) \
                X(dynamic) X(graph) X(planted) X(rule) X(nest) X(schedule) X(schedule_random) X(contraction) \
                    X(schedule_rule) X(schedule_host) X(tiles)
