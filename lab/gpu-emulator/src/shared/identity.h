/* identity.h - the names of an emulated device, the same in CUDA, NVML and the files. */
#ifndef EMULATED_GPU_IDENTITY_H
#define EMULATED_GPU_IDENTITY_H

#include <stddef.h>

enum {
  UUID_TEXT_BYTES = 41, /* "GPU-", 36 characters and the terminating zero */
  IDENTITY_CC_MAJOR = 9,
  IDENTITY_CC_MINOR = 0,
  IDENTITY_DRIVER_VERSION = 13000
};
#define IDENTITY_DRIVER_VERSION_TEXT "580.00.00"

void identity_name(unsigned device, char *text, size_t size);
void identity_uuid_bytes(unsigned device, unsigned char bytes[16]);
void identity_uuid_text(unsigned device, char text[UUID_TEXT_BYTES]);
unsigned identity_pci_bus(unsigned device);

/* The device at "domain:bus:...", or -1. */
int identity_from_pci(const char *text);

#endif
