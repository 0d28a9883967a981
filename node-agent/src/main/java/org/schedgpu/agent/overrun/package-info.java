/**
 * Memory that is in use though nobody reserved it: who uses it by NVML, what is charged for it, how
 * it is told, and the end of programs where OverrunAction says so.
 */
package org.schedgpu.agent.overrun;
