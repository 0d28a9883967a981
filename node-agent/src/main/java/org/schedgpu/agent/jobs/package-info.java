/**
 * The jobs of a node one by one: what {@code schedgpu jobs} and {@code schedgpu history} print of
 * them, and a line in the log for what happens to each.
 */
package org.schedgpu.agent.jobs;
