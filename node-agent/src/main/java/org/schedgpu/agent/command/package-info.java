/**
 * The commands of {@code schedgpu}, with their options and exit codes. What they do is in the
 * package of their subject. {@code schedgpu run} is in {@code run}, and {@code schedgpu agent} is
 * beside the agent.
 */
package org.schedgpu.agent.command;
