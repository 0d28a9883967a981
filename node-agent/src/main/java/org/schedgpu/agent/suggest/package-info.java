/**
 * Suggestions from what earlier jobs needed: {@code schedgpu suggest}, the budget of jobs that name
 * none, a line at a job's end, and Slurm's comment.
 */
package org.schedgpu.agent.suggest;
