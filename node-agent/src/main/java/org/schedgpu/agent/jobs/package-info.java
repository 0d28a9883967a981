/**
 * The jobs of a node one by one: the output of {@code schedgpu jobs} and {@code schedgpu history},
 * and a log line for each event.
 */
package org.schedgpu.agent.jobs;
