/* forecast.h - what the files of this folder share. */
#ifndef SG_FORECAST_H
#define SG_FORECAST_H

#include "../core/overflow.h"
#include "../core/core.h"
#include "../core/queue.h"
#include "schedgpu/forecast.h"

struct schedgpu_forecast {
  struct sg_region region;
  struct sg_wakes wakes; /**< of the last transition */
  /** By record: the ticket of the request that this one is, or goes on. */
  uint64_t origin[SG_SLOTS];
  uint64_t left[SG_SLOTS]; /**< tickets of who waits no more, and nobody asked yet */
  uint32_t left_count;
};

/** The record of a request that waits, SG_NONE if none does. */
uint32_t sg_forecast_find(const schedgpu_forecast *forecast, uint64_t ticket);

#endif
