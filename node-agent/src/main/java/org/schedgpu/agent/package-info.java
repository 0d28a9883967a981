/**
 * The {@code schedgpu} command: shows, sets up and repairs a node's region, and runs jobs without
 * Slurm. This package has its entry point, and builds the agent from its tasks and questions; each
 * subject has a package of its own.
 */
package org.schedgpu.agent;
