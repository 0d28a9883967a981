package org.schedgpu.model;

/**
 * One physical GPU.
 *
 * @param usableBytes total - reserved
 * @param contextBytes of one process's CUDA context
 */
record Device(int index, long usableBytes, long contextBytes) {}
