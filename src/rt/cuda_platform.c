/* rt/cuda_platform.c -- the row of the platform "cuda". */
#ifndef XG_RT_CUDA_PLATFORM_C
#define XG_RT_CUDA_PLATFORM_C
#include "rt.h"
#include "cuda_cast.c"
#include "cuda_graph.c"
#include "cuda_load.c"

XG_FN const xr_platform *xr_cuda_platform(void) {
    static const xr_platform cuda = {"cuda", xr_cuda_open, xr_cuda_close, xr_cuda_alloc, xr_cuda_release,
        xr_cuda_upload, xr_cuda_download, xr_cuda_wait, xr_cuda_settle, xr_cuda_load, xr_cuda_unload, xr_cuda_prepare,
        xr_cuda_finish, xr_cuda_enter, xr_cuda_leave, xr_cuda_copy, xr_cuda_fill, xr_cuda_read, xr_cuda_launch,
        xr_cuda_build, xr_cuda_update, xr_cuda_replay, xr_cuda_forget, xr_cuda_event_new, xr_cuda_event_free,
        xr_cuda_event_record, xr_cuda_event_wait, xr_cuda_event_done, xr_cuda_event_seconds, xr_cuda_stream_new,
        xr_cuda_stream_free, xr_cuda_stream_follow, xr_cuda_range, xr_cuda_reach, xr_cuda_unreach, NULL, xr_cuda_cast,
        xr_cuda_uncast, NULL, xr_cuda_launch_ptx, xr_cuda_encode_map, NULL};
    return &cuda;
}
#undef XR_CUDA
#ifndef XR_CLIQUES
#undef xr_cuda_cast
#undef xr_cuda_uncast
#endif
#undef XR_CUDA_IN
#undef XR_CUDA_RUN
#undef XR_CUDAAPI

#endif /* XG_RT_CUDA_PLATFORM_C */
