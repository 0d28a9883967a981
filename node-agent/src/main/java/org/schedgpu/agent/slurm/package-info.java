/**
 * What is asked of Slurm on the node: its queue, time limits, control groups and configuration; and
 * the end of jobs that it left behind.
 */
package org.schedgpu.agent.slurm;
