/**
 * A test bed: a real Slurm with emulated GPUs, and schedGPU installed as on a site. The tests use
 * it; {@link org.schedgpu.integration.HookCost} measures with it.
 */
package org.schedgpu.integration;
