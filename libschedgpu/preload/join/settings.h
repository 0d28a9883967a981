/*
 * settings.h - settings of this process in the environment. Read once, at the first use; an invalid
 * word is reported once, and the default applies.
 */
#ifndef SGP_SETTINGS_H
#define SGP_SETTINGS_H

/** SCHEDGPU_FIRST_TRY: the result of an allocation that would have to wait. */
enum sgp_first_try {
  SGP_FIRST_TRY_AUTO, /**< as the program's allocator needs it (first_try.h) */
  SGP_FIRST_TRY_WAIT,
  SGP_FIRST_TRY_FAIL, /**< out of memory; the retry waits */
};
enum sgp_first_try sgp_setting_first_try(void);

/** SCHEDGPU_MANAGED: how much managed memory is reserved. */
enum sgp_managed {
  SGP_MANAGED_RESERVE, /**< all of it, wherever its pages are */
  SGP_MANAGED_PASS,    /**< nothing: only NVML sees it */
};
enum sgp_managed sgp_setting_managed(void);

#endif
