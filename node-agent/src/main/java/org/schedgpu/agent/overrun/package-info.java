/**
 * Unreserved memory: which processes use it according to NVML, how much is charged to their jobs,
 * how it is reported, and how programs are ended if OverrunAction asks for that.
 */
package org.schedgpu.agent.overrun;
