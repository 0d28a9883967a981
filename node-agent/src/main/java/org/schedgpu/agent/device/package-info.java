/**
 * The devices through NVML: access for all tasks of a loop, health checks, and the record of
 * problems.
 */
package org.schedgpu.agent.device;
