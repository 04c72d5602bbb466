/* tests/programs/fake_state.h -- what the fake driver is told and what it counts; the program reads and writes it while
 * the driver is loaded. */
#ifndef XLAGPU_TESTS_FAKE_STATE_H
#define XLAGPU_TESTS_FAKE_STATE_H

typedef struct fake_state {
    const char *fail; /* the name of a function, and which of its calls fails, and how */
    long fail_at, seen;
    int error;
    const char *log; /* of the JIT, when loading a module fails */
    int devices, major, minor, version;
    long contexts, memory, modules, pushed, launches, calls;
    /* events, graphs, execs: alive; the others: ever */
    long events, graphs, execs, nodes, edges, updates, graph_launches, conditionals;
    int idle;                      /* launches do nothing */
    int no_conditions;             /* refuses our condition kernel */
    long links, linked, from_code; /* links: alive; modules made by the linker, and loaded from machine code: ever */
    /* streams: alive; work on other streams than the default one, waits for events, conflicts that no event orders:
     * ever */
    long streams, aside, waits, races;
    unsigned long long read_only[2]; /* addresses that kernels only read */
    int deaf;                        /* streams do not wait for events, nodes not for nodes */
    /* not 0: what is enqueued is done as late as it may be, streams and nodes in an order drawn from this */
    unsigned long long late;
    int fail_on;                /* all calls behind the one that fails do so, too */
    long downloads, copy_nodes; /* blocking copies to the host; copy nodes between host and device: ever */
    long meet;                  /* threads that must be loading at one time before a load ends */
    long loading, loading_most; /* threads that load at this moment, and at most */
    long allocations;           /* of device memory: ever */
    long stream_waits;          /* of the host for one stream: ever */
    long captures, children;    /* of streams, and graphs in graphs: ever */
    long peers;                 /* pairs of devices of which one reaches the other's memory: alive */
    int strangers;              /* no device reaches another's memory */
    int multicast;              /* devices have multicast objects */
    long handles;               /* of memory and such objects, and addresses reserved for them: alive */
    long beside;                /* nodes that may run beside devices that meet: ever */
} fake_state;
/* Memory that a library's work touches. */
typedef struct fake_range {
    unsigned long long from, to;
    int written;
} fake_range;

#endif
