/* rooms_sched.h -- the room of loop nests and schedules: every file, lower ones first. It is included behind rooms.h.
 *
 * It stands on base, hlo, eval, affine, indexing, kir and emit. The driver does not call it yet: which kernels it makes
 * rather than an emitter is a matter of the cost model, so the two headers carry it when that choice is made. The tests
 * do: tests/stages/sched.c. */
#include "sched/sched.h"
#include "sched/nest.c"
#include "sched/text.c"
#include "sched/parse.c"
#include "sched/verify.c"
#include "sched/run.c"
#include "sched/together.c"
#include "sched/analysis.c"
#include "sched/loops.c"
#include "sched/body.c"
#include "sched/stage.c"
#include "sched/inline.c"
#include "sched/at.c"
#include "sched/reduction.c"
#include "sched/layout.c"
#include "sched/blocks.c"
#include "sched/record.c"
#include "sched/trace.c"
#include "sched/allreduce.c"
#include "sched/flat.c"
#include "sched/lower.c"
#include "sched/from_hlo.c"
#include "sched/matmul.c"
