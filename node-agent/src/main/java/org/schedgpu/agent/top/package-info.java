/** {@code schedgpu top}: who holds memory, who waits, and the forecast, on a screen. */
package org.schedgpu.agent.top;
