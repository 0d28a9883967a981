/**
 * The {@code schedgpu} command: shows, sets up and repairs a node's region; runs jobs without
 * Slurm. Here is where it starts, and where the agent is put together of its tasks and of the
 * questions that it answers; each subject has a package of its own.
 */
package org.schedgpu.agent;
