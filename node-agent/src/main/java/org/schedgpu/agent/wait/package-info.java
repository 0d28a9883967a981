/** What the agent does in Slurm for jobs that wait: time limits, and back into the queue. */
package org.schedgpu.agent.wait;
