/* private_dev.h - a /dev of this process and its children, which goes with them. */
#ifndef PRELOAD_TEST_PRIVATE_DEV_H
#define PRELOAD_TEST_PRIVATE_DEV_H

/** As root: enters a mount namespace whose /dev has the usual devices only. Another user can make
 * no device, and keeps /dev. NULL, or why it is not possible (static). */
const char *private_dev_enter(void);

#endif
