package org.schedgpu.jna;

import java.util.List;

/**
 * The settings of a new region (struct schedgpu_setup).
 *
 * @param policy the policy that chooses the next waiter
 * @param overtakeLimit how often the oldest waiter may be overtaken; 0 = no limit
 * @param deadlockRule what happens when a job that holds memory asks for more
 * @param groupId group that may use the region (mode 0660), {@link #EVERYONE} (mode 0666) or {@link
 *     #NOBODY} (0600)
 * @param graceNs how long a budget of mode peak stays reserved after its last use while others wait
 * @param quantumNs of the turns of a {@code fair} lane; 0: 1 s
 * @param devices at most 16
 */
public record Setup(
    Policy policy,
    long overtakeLimit,
    DeadlockRule deadlockRule,
    int groupId,
    long graceNs,
    long quantumNs,
    List<DeviceSpec> devices) {
  /** Everyone may use the region. */
  public static final int EVERYONE = -1;

  /** Only root; other users ask the agent (SCHEDGPU_GROUP_NONE). */
  public static final int NOBODY = -2;

  public Setup {
    devices = List.copyOf(devices);
  }
}
