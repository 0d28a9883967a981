/** The options of {@code schedgpu run}; the program itself is in libschedgpu/run. */
package org.schedgpu.agent.run;
