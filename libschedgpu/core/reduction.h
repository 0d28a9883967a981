/*
 * reduction.h - who could still finish? Everybody who can go on gives back what he holds; repeat.
 * The classical reduction of a graph of requests and holdings (Holt, 1972), for two questions: can
 * this wait end (deadlock.c), and is a state safe (banker.c)?
 */
#ifndef SG_REDUCTION_H
#define SG_REDUCTION_H

#include "access.h"

/** What is known of a process. Small: a reduction lies on the stack of a program's thread. */
struct sg_reduced_process {
  uint16_t next : 11;   /**< slot + 1 of the next process of its job; 0: the last */
  uint16_t blocked : 1; /**< it waits, and has not gone on */
  uint16_t gone : 1;    /**< it has gone on, and has given its memory back */
  uint16_t without : 1; /**< and its contexts */
};
_Static_assert(SG_SLOTS < 1u << 11, "a slot + 1 fits into 11 bits");

struct sg_reduced_job {
  uint16_t first;   /**< slot + 1 of its first process; 0: none */
  uint16_t left;    /**< processes that are not gone */
  uint16_t with;    /**< processes that have their contexts */
  bool apart;       /**< its processes are left out */
  bool budget_back; /**< its held budget is among what is available */
};

struct sg_reduction {
  uint64_t available[SCHEDGPU_MAX_DEVICES]; /**< outside memory included */
  uint64_t outside[SCHEDGPU_MAX_DEVICES];   /**< what of it has not come back; 0 but for scan.c */
  bool contexts_stay;                       /**< who goes on from now on keeps his contexts */
  struct sg_reduced_process process[SG_SLOTS];
  struct sg_reduced_job job[SCHEDGPU_MAX_JOBS];
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
