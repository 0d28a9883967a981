package org.schedgpu.agent.report;

import java.util.Set;

/**
 * A job of the comparison.
 *
 * @param runNs how long it ran, without its waits
 * @param devices its devices
 */
record ReplayedJob(long arrivalNs, long endNs, long waitedNs, long runNs, Set<Integer> devices) {}
