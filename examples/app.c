/* app.c -- a user of both headers in a program whose implementation is in another file, examples/xlagpu.c. Prints what
 * runs here. */
#include "../xlagpu.h"
#include "../xlagpu_runtime.h"
#include <stdio.h>

int main(void) {
    xlagpu_device *device;
    xlagpu_status status = xlagpu_rt_open(NULL, &device);
    if (status)
        printf("%s: %s\n", xlagpu_status_text(status), xlagpu_rt_error(device));
    else
        printf("xlagpu %s runs on %s (%s), compiles for %s\n", XLAGPU_VERSION, xlagpu_rt_name(device),
            xlagpu_rt_platform(device), xlagpu_rt_target(device));
    xlagpu_rt_close(device);
    return status != XLAGPU_OK;
}
