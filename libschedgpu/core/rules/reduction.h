/*
 * reduction.h - which processes could still finish? Each process that can go on releases its
 * memory; repeat. This is the classical reduction of a resource-allocation graph (Holt, 1972). It
 * answers two questions: can this wait end (deadlock.c), and is a state safe (banker.c)?
 */
#ifndef SG_REDUCTION_H
#define SG_REDUCTION_H

#include "../layout/access.h"

/** The state of one process. Small: a reduction lies on the stack of a program's thread. */
struct sg_reduced_process {
  uint16_t next : 11;   /**< slot + 1 of the next process of its job; 0: the last */
  uint16_t blocked : 1; /**< it waits, and could not go on yet */
  uint16_t gone : 1;    /**< it could go on, and has released its memory */
  uint16_t without : 1; /**< it has released its contexts too */
};
_Static_assert(SG_SLOTS < 1u << 11, "a slot + 1 fits into 11 bits");

struct sg_reduced_job {
  uint16_t first;       /**< slot + 1 of its first process; 0: none */
  uint16_t left;        /**< processes that could not go on yet */
  uint16_t with;        /**< processes that still have their contexts */
  bool excluded;        /**< its processes take no part */
  bool budget_released; /**< its held budget counts as available */
};

struct sg_reduction {
  uint64_t available[SCHEDGPU_MAX_DEVICES];  /**< unreserved memory included */
  uint64_t unreserved[SCHEDGPU_MAX_DEVICES]; /**< the part of it that is not available; 0 except in
                                             scan.c */
  bool keep_contexts; /**< processes that go on from now on keep their contexts */
  struct sg_reduced_process process[SG_SLOTS];
  struct sg_reduced_job job[SCHEDGPU_MAX_JOBS];
  uint16_t left_lane[SG_LANES]; /**< members whose budget is released */
};

/** Starts before any process goes on: free memory and unreserved memory are available. Processes
 * that go on will release their contexts too. */
void sg_reduction_start(const struct sg_region *r, struct sg_reduction *red);
/** Every process that does not wait goes on. */
void sg_reduction_run(const struct sg_region *r, struct sg_reduction *red);
/**
 * One round: every process goes on for whose request `can_be_served` is true. True if there was
 * one.
 */
bool sg_reduction_serve(const struct sg_region *r, struct sg_reduction *red,
                        bool (*can_be_served)(const struct sg_region *r,
                                              const struct sg_reduction *red,
                                              const struct sg_waiter *w));
/** Ondemand memory of the job on one device that is not released yet. */
uint64_t sg_reduction_held(const struct sg_region *r, const struct sg_reduction *red, uint32_t job,
                           uint32_t device);
/** Contexts of the job's processes that still have them, granted ones included. */
uint64_t sg_reduction_contexts(const struct sg_region *r, const struct sg_reduction *red,
                               uint32_t job, uint32_t device);
/** What is left of a growable held budget after growth that is not taken was released. */
uint64_t sg_reduction_left(const struct sg_region *r, const struct sg_reduction *red, uint32_t job,
                           uint32_t device);
/** Bytes of the device that are free or were released. */
uint64_t sg_reduction_free(const struct sg_reduction *red, uint32_t device);

#endif
