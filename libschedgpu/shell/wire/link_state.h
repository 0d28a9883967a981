/*
 * link_state.h - the connection of a broker client, which is a part of struct sg_self. The
 * functions are in link.h.
 */
#ifndef SG_LINK_STATE_H
#define SG_LINK_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sg_page;
struct sg_region;

struct sg_link {
  bool attached; /**< by the agent: `h.r` is the view, `record` that of the page */
  bool connected;
  int fd; /**< descriptor number, which the program may have reused: checked before use */
  dev_t dev;
  ino_t ino;
  uint32_t version; /**< protocol version, since it connected */
  uint32_t sequence;
  uint32_t slot;
  uint32_t gen;
  uint64_t deadline_ns;    /**< deadline of the current call */
  uint64_t quiet_until_ns; /**< the agent did not answer: messages that can wait are not sent before
                              that time */
  struct sg_page *page;    /**< stays mapped, at the same address after every attach */
  void *live;
  struct sg_region *view;
  uint64_t wait_ticket; /**< of the request that waits; 0: none */
  bool wait_lost;       /**< the agent does not know that wait any more */
};

#endif
