/* late.c - see late.h. */
#include "late.h"
#include "../join/message.h"
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_NS 50000000L
#define PAUSES (SGP_LATE_SECONDS * 1000000000L / PAUSE_NS)
#define PAUSES_AFTER_A_FAILED_WAIT 2

_Static_assert(PAUSES <= UINT8_MAX, "struct sgp_charge counts them in a byte");

long sgp_late_pause_ns = PAUSE_NS;
static atomic_bool wait_failed;

static const char *name_of(int device, char *text, size_t size) {
  if (device < 0)
    return "a device";
  snprintf(text, size, "device %d", device);
  return text;
}

bool sgp_late_memory_pause(int device, unsigned pauses) {
  char name[24];
  if (pauses >= PAUSES_AFTER_A_FAILED_WAIT && atomic_load(&wait_failed))
    return false;
  if (pauses >= PAUSES) {
    atomic_store(&wait_failed, true);
    sgp_say_once(SGP_DRIVER_FULL,
                 "%s: out of memory, although the memory was reserved: another program uses memory "
                 "that it did not reserve: see schedgpu status",
                 name_of(device, name, sizeof name));
    return false;
  }
  if (pauses == PAUSES_AFTER_A_FAILED_WAIT)
    sgp_say_once(SGP_DRIVER_LATE,
                 "%s: the driver has not yet freed the memory that is reserved: waiting up to %d s",
                 name_of(device, name, sizeof name), SGP_LATE_SECONDS);
  /* Not nanosleep(): a thread cancelled there would leave its reservation behind. */
  syscall(SYS_nanosleep, &(struct timespec){0, sgp_late_pause_ns}, NULL);
  return true;
}

void sgp_late_memory_came(void) {
  atomic_store(&wait_failed, false);
}
