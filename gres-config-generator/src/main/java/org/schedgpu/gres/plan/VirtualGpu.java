package org.schedgpu.gres.plan;

import org.schedgpu.gres.facts.Device;

/**
 * One share of a device that Slurm sees as a GPU.
 *
 * @param index its index on the node, as in SLURM_JOB_GPUS: the number of its line in gres.conf
 * @param device the device behind it
 */
public record VirtualGpu(int index, Device device) {}
