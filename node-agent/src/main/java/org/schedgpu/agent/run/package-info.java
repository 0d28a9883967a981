/**
 * {@code schedgpu run}: a job without Slurm, from what its user wishes to the end of its command.
 */
package org.schedgpu.agent.run;
