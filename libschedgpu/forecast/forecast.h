/* forecast.h - the structure that the files of this folder share. */
#ifndef SG_FORECAST_H
#define SG_FORECAST_H

#include "../core/rules/growth.h"
#include "../core/rules/core.h"
#include "../core/rules/queue.h"
#include "schedgpu/forecast.h"

struct schedgpu_forecast {
  struct sg_region region;
  struct sg_wakes wakes; /**< wakes of the last transition */
  /** by record: the ticket of the original request, also if this one is its continuation */
  uint64_t origin[SG_SLOTS];
  uint64_t left[SG_SLOTS]; /**< tickets that stopped waiting and were not fetched yet */
  uint32_t left_count;
};

/** The record of the waiting request with this ticket, or SG_NONE. */
uint32_t sg_forecast_find(const schedgpu_forecast *forecast, uint64_t ticket);

#endif
