/**
 * The workload of the schedGPU paper (IEEE TPDS 29(5), 2018, section 7.3.2) on a real Slurm with an
 * emulated GPU, and a report that puts the paper's Table 3 beside what happens here.
 *
 * <p>Times are in seconds of the paper's test-bed unless a name says {@code Ns}: those are real
 * times of CLOCK_MONOTONIC, which {@link System#nanoTime} shows and the programs print.
 */
package org.schedgpu.demo;
