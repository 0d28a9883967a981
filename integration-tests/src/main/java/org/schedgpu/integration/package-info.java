/**
 * A test bed: a real Slurm with emulated GPUs on which schedGPU is installed as on a site. The
 * tests use it; {@link org.schedgpu.integration.HookCost} measures with it.
 */
package org.schedgpu.integration;
