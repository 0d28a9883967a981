/**
 * The {@code schedgpu} command: shows, sets up and repairs a node's region; runs jobs without
 * Slurm.
 */
package org.schedgpu.agent;
