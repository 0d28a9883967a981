/* devices.c - see devices.h. */
#include "devices.h"
#include "message.h"
#include "../resolve/resolve.h"
#include "schedgpu/schedgpu.h"
#include <stdatomic.h>
#include <stdio.h>

#define CACHED_DEVICES 64
#define UUID_TEXT 48

/* 0 = not looked up, ordinal + 1, or FOREIGN. */
#define FOREIGN (-1)
static atomic_int cache[CACHED_DEVICES];

static bool uuid_of(CUdevice device, char text[UUID_TEXT]) {
  CUuuid uuid;
  sgp_cuDeviceGetUuid_v2 newer = SGP_CALL(cuDeviceGetUuid_v2);
  sgp_cuDeviceGetUuid get = newer ? newer : SGP_CALL(cuDeviceGetUuid);
  if (!get || get(&uuid, device) != CUDA_SUCCESS)
    return false;
  const unsigned char *b = (const unsigned char *)uuid.bytes;
  snprintf(text, UUID_TEXT,
           "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
           b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
           b[15]);
  return true;
}

/*
 * Devices that the driver does not know (an invalid one, a forked child) are not charged; the call
 * itself returns the driver's error.
 */
static int look_up(CUdevice device) {
  char text[UUID_TEXT];
  if (!uuid_of(device, text))
    return SGP_NO_DEVICE;
  int found = schedgpu_device_of_uuid(text);
  if (found == SCHEDGPU_EDEVICE)
    sgp_say_once(SGP_FOREIGN_DEVICE,
                 "CUDA device %d (%s) is not one of the job's: its memory is not scheduled", device,
                 text);
  return found;
}

int sgp_device_ordinal(CUdevice device) {
  bool cacheable = device >= 0 && device < CACHED_DEVICES;
  int known = cacheable ? atomic_load_explicit(&cache[device], memory_order_relaxed) : 0;
  if (known)
    return known == FOREIGN ? SGP_NO_DEVICE : known - 1;
  int found = look_up(device);
  if (cacheable && (found >= 0 || found == SCHEDGPU_EDEVICE))
    atomic_store_explicit(&cache[device], found >= 0 ? found + 1 : FOREIGN, memory_order_relaxed);
  return found >= 0 ? found : SGP_NO_DEVICE;
}

void sgp_devices_forget(void) {
  for (int i = 0; i < CACHED_DEVICES; i++)
    atomic_store_explicit(&cache[i], 0, memory_order_relaxed);
}
