/**
 * Finds how much device memory CUDA sources allocate, without running them.
 *
 * <p>{@link org.schedgpu.estimate.Estimator} is the entrance. Eclipse CDT parses; everything of it
 * that is used is behind {@link org.schedgpu.estimate.CudaParser}. This module is a jar of its own,
 * which only {@code schedgpu estimate} loads. No class here may be used by several threads.
 */
package org.schedgpu.estimate;
