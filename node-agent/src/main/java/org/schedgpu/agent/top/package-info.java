/** {@code schedgpu top}: who holds memory, who waits, why, and when it will be served. */
package org.schedgpu.agent.top;
