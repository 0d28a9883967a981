/** The devices by NVML: reached by all tasks of a loop, watched, and noted when they fail. */
package org.schedgpu.agent.device;
