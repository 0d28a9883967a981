/** What {@code schedgpu run} takes; what it does is in libschedgpu/run. */
package org.schedgpu.agent.run;
