/* xlagpu.c -- the one file of your project that holds the implementation; all others just include the headers. */
#define XLAGPU_IMPLEMENTATION
#include "../xlagpu.h"
#include "../xlagpu_runtime.h"
