/*
 * namespace.h - a host whose /etc/ld.so.preload names our library, for one process: in its own
 * mount namespace, so the real files do not change.
 */
#ifndef PRELOAD_TEST_NAMESPACE_H
#define PRELOAD_TEST_NAMESPACE_H

#include "node.h"
#include <stdbool.h>

/** Prepares the files of `node`. False if mount namespaces are not permitted. */
bool namespace_prepare(const struct node *node, const char *ld_so_preload, const char *cgroup);

/** Enters: /etc, /run/schedgpu, /proc/self/cgroup and a /mnt with setuid are the node's. */
bool namespace_enter(const struct node *node);
#define NAMESPACE_NOBODY 65534
/** Enters, and becomes the user nobody. */
bool namespace_enter_as_nobody(const struct node *node);

/** A copy of a program that belongs to root and is setuid; it will be /mnt/setuid_program. */
void namespace_setuid_program(const struct node *node, const char *program);

#endif
