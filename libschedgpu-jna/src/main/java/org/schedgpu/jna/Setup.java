package org.schedgpu.jna;

import java.util.List;

/**
 * What a new region is like (struct schedgpu_setup).
 *
 * @param policy which waiter is next
 * @param overtakeLimit how often the oldest waiter may be overtaken; 0 = no limit
 * @param deadlockRule what is done about jobs that hold memory and ask for more
 * @param groupId group that may use the region (mode 0660), {@link #EVERYONE} (mode 0666) or {@link
 *     #NOBODY} (0600)
 * @param graceNs how long a peak reservation outlives its last use while others wait
 * @param devices at most 16
 */
public record Setup(
    Policy policy,
    long overtakeLimit,
    DeadlockRule deadlockRule,
    int groupId,
    long graceNs,
    List<DeviceSpec> devices) {
  /** Everyone may use the region. */
  public static final int EVERYONE = -1;

  /** Nobody but root: the others ask the agent (SCHEDGPU_GROUP_NONE). */
  public static final int NOBODY = -2;

  public Setup {
    devices = List.copyOf(devices);
  }
}
