package org.schedgpu.model;

/**
 * One physical GPU.
 *
 * @param totalBytes in whole units
 * @param usableBytes total - reserved
 * @param contextBytes of one process's CUDA context
 */
record Device(int index, long totalBytes, long usableBytes, long contextBytes) {}
