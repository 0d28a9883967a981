/**
 * Native calls from Java: libschedgpu's admin API, NVML and a little of libc, by JNA direct
 * mapping. Nothing outside this package calls native code.
 *
 * <p>Sizes are bytes, times are nanoseconds of CLOCK_MONOTONIC, which is what {@link
 * System#nanoTime()} reads on Linux. Devices are numbered by their physical (NVML) index.
 */
package org.schedgpu.jna;
