/* core_api.h - the structure that the files of this folder share. */
#ifndef SG_CORE_API_H
#define SG_CORE_API_H

#include "../core/rules/core.h"
#include "schedgpu_core.h"

struct schedgpu_core {
  struct sg_region region;
  struct sg_wakes wakes;   /**< of the last transition */
  struct sg_wakes granted; /**< of the last call of schedgpu_core_batch.h */
};

#endif
