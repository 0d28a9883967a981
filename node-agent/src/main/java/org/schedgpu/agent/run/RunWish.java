package org.schedgpu.agent.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.schedgpu.jna.Mode;

/**
 * What {@code schedgpu run} was asked for, as it was written; where it is empty, schedgpu.conf
 * decides.
 *
 * @param mem budget per device
 * @param processes that use a device at once
 * @param waitTime how long an allocation waits
 * @param overflowWaits whether allocations beyond the budget wait
 * @param devices by NVML index
 */
record RunWish(
    Optional<String> mem,
    Optional<Mode> mode,
    int processes,
    Optional<String> priority,
    Optional<String> waitTime,
    Optional<Boolean> overflowWaits,
    List<Integer> devices,
    Path command) {}
