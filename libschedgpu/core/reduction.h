/*
 * reduction.h - who could still finish? Everybody who can go on gives back what he holds; repeat.
 * The classical reduction of a graph of requests and holdings (Holt, 1972), for two questions: can
 * this wait end (deadlock.c), and is a state safe (banker.c)?
 */
#ifndef SG_REDUCTION_H
#define SG_REDUCTION_H

#include "access.h"

struct sg_reduction {
  uint64_t available[SCHEDGPU_MAX_DEVICES]; /**< outside memory included */
  uint64_t outside[SCHEDGPU_MAX_DEVICES];   /**< what of it has not come back; 0 but for scan.c */
  bool blocked[SG_SLOTS];                   /**< waits, and has not gone on */
  bool contexts_stay;                       /**< who goes on from now on keeps his contexts */
  bool gone[SG_SLOTS];                      /**< has gone on and given its memory back */
  bool without[SG_SLOTS];                   /**< and its contexts */
  uint16_t first[SCHEDGPU_MAX_JOBS];        /**< its processes: slot + 1, the next in `next` */
  uint16_t next[SG_SLOTS];                  /**< 0: the last */
  uint16_t left[SCHEDGPU_MAX_JOBS];         /**< processes of the job that are not gone */
  uint16_t with[SCHEDGPU_MAX_JOBS];         /**< processes of the job that have their contexts */
  bool apart[SCHEDGPU_MAX_JOBS];            /**< its processes are left out */
  bool budget_back[SCHEDGPU_MAX_JOBS];      /**< its held budget is among what is available */
};

/** Nobody has gone on yet: what is free is available, and outside memory, which comes back.
 * Contexts will come back, too. */
void sg_reduction_start(const struct sg_region *r, struct sg_reduction *red);
/** Everybody who does not wait goes on. */
void sg_reduction_run(const struct sg_region *r, struct sg_reduction *red);
/** Processes of whose requests `is_served` is true go on, once round; whether there was one. */
bool sg_reduction_serve(const struct sg_region *r, struct sg_reduction *red,
                        bool (*is_served)(const struct sg_region *r, const struct sg_reduction *red,
                                          const struct sg_waiter *w));
/** Ondemand memory of the job that has not come back yet, on one device. */
uint64_t sg_reduction_held(const struct sg_region *r, const struct sg_reduction *red, uint32_t job,
                           uint32_t device);
/** Contexts of those processes of the job that still have them, granted ones included. */
uint64_t sg_reduction_contexts(const struct sg_region *r, const struct sg_reduction *red,
                               uint32_t job, uint32_t device);
/** What is left of a held budget that grows, once growth that is not taken went back. */
uint64_t sg_reduction_left(const struct sg_region *r, const struct sg_reduction *red, uint32_t job,
                           uint32_t device);
/** What has come back of the device, and was free. */
uint64_t sg_reduction_free(const struct sg_reduction *red, uint32_t device);

#endif
