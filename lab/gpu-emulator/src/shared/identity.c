/* identity.c - see identity.h. */
#include "identity.h"
#include "state.h"

#include <stdio.h>
#include <string.h>

void identity_name(unsigned device, char *text, size_t size) {
  snprintf(text, size, "Emulated GPU %u", device);
}

void identity_uuid_bytes(unsigned device, unsigned char bytes[16]) {
  static const unsigned char common[16] = {0xe0, 0xe0, 0xe0, 0xe0, 0, 0, 0x40, 0, 0x80};
  memcpy(bytes, common, 16);
  bytes[15] = (unsigned char)device;
}

void identity_uuid_text(unsigned device, char text[UUID_TEXT_BYTES]) {
  unsigned char b[16];
  identity_uuid_bytes(device, b);
  snprintf(text, UUID_TEXT_BYTES,
           "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
           b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
           b[15]);
}

unsigned identity_pci_bus(unsigned device) {
  return device + 1;
}

int identity_from_pci(const char *text) {
  unsigned domain, bus;
  if (sscanf(text, "%x:%x", &domain, &bus) != 2 || domain || bus < 1 || bus > MAX_DEVICES)
    return -1;
  return (int)bus - 1;
}
