package org.schedgpu.jna;

/**
 * What a reap found (struct schedgpu_reaped).
 *
 * @param clients dead processes removed
 * @param jobs owned jobs that ended with their owner
 * @param bytes given back
 * @param granted waiters served by it
 */
public record ReapResult(long clients, long jobs, long bytes, long granted) {}
