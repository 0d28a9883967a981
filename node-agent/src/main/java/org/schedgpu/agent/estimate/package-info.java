/** {@code schedgpu estimate}: what CUDA sources allocate. */
package org.schedgpu.agent.estimate;
