/* order.h - the place of the library among those of LD_PRELOAD. */
#ifndef SGP_ORDER_H
#define SGP_ORDER_H

/** In a job: says once if LD_PRELOAD names a CUDA driver before this library. The program's calls
 * then go to the driver, and no hook would notice. Other libraries may come first: they forward. */
void sgp_tell_of_driver_before_us(void);

#endif
