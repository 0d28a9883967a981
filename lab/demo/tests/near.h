/* near.h - a comparison of doubles, which cmocka lacks. Include after cmocka.h. */
#ifndef DEMO_NEAR_H
#define DEMO_NEAR_H

#include <math.h>

static inline void assert_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.12g is not %.12g within %g", value, expected, tolerance);
}

#endif
