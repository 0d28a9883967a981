/** The devices by NVML: reached by all duties of a loop, watched, and noted when they fail. */
package org.schedgpu.agent.device;
