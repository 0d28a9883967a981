/**
 * {@code schedgpu status}: who holds what of each device and who waits, worked out in {@link
 * StatusReport}, and shown as text or JSON.
 */
package org.schedgpu.agent.status;
