/** What CUDA sources allocate, as {@code schedgpu estimate} shows it. */
package org.schedgpu.agent.estimate;
