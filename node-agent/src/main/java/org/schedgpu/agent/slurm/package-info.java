/**
 * What the agent learns from Slurm on the node: its queue, time limits, control groups and
 * configuration; and the end of jobs that Slurm abandoned.
 */
package org.schedgpu.agent.slurm;
