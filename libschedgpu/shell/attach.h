/* attach.h - from an open region to an active client record; shared by client.c and admin.c. */
#ifndef SG_ATTACH_H
#define SG_ATTACH_H

#include "shell.h"

/** Takes a slot in [first, end) and activates it for `job` (SG_NONE: root side). */
int sg_attach_slot(struct sg_handle *h, uint32_t first, uint32_t end, uint32_t job,
                   int64_t timeout_ns);

#endif
