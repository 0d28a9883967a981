package org.schedgpu.jna;

/**
 * The result of a reap (struct schedgpu_reaped).
 *
 * @param clients dead processes removed
 * @param jobs owned jobs that ended with their owner
 * @param bytes memory freed
 * @param granted waiters that got their memory
 */
public record ReapResult(long clients, long jobs, long bytes, long granted) {}
