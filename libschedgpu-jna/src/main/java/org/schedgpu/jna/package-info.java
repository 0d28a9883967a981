/**
 * Native calls from Java: libschedgpu's admin API, NVML and a little of libc, by JNA direct
 * mapping. No other package calls native code.
 *
 * <p>Sizes are bytes, times are nanoseconds of CLOCK_MONOTONIC, which {@link System#nanoTime()}
 * reads on Linux. Devices have their physical (NVML) index.
 */
package org.schedgpu.jna;
