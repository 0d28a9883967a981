/**
 * The commands of {@code schedgpu}, with their options and exit codes: what they do is in the
 * package of their subject. {@code schedgpu run} is in {@code run}, and {@code schedgpu agent}
 * beside the agent.
 */
package org.schedgpu.agent.command;
