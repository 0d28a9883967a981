/**
 * {@code schedgpu status}: what each job holds of each device, and which requests wait. {@link
 * StatusReport} computes it; other classes show it as text or JSON.
 */
package org.schedgpu.agent.status;
