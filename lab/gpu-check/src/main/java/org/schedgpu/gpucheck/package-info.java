/**
 * Checks on a real GPU what the emulator can only imitate. The suite travels as one bundle to a
 * machine that has a driver and perhaps Python's frameworks, but no Slurm and no JDK. It uses
 * public entry points only: the shipped command, hooks and libraries, the admin API, NVML.
 */
package org.schedgpu.gpucheck;
