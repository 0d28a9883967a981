/** {@code schedgpu top}: jobs that hold memory, waiters, and the forecast, on a screen. */
package org.schedgpu.agent.top;
