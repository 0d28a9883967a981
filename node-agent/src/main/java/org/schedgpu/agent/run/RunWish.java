package org.schedgpu.agent.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.schedgpu.jna.RunOptions;

/**
 * What {@code schedgpu run} was asked for, as it was written; where it is empty, schedgpu.conf
 * decides.
 *
 * @param mem budget per device
 * @param processes that use a device at once
 * @param waitTime how long an allocation waits
 * @param overflow what is done beyond the budget
 * @param devices by NVML index
 */
record RunWish(
    Optional<String> mem,
    Optional<String> mode,
    int processes,
    Optional<String> priority,
    Optional<String> waitTime,
    Optional<String> overflow,
    List<Integer> devices,
    Path command) {
  /**
   * For libschedgpu.
   *
   * @param name of the job
   * @param learnedBytes what earlier runs of it needed; 0: not known
   */
  RunOptions options(String name, long learnedBytes) {
    return new RunOptions(
        mem.orElse(null),
        priority.orElse(null),
        mode.orElse(null),
        waitTime.orElse(null),
        Integer.toString(processes),
        overflow.orElse(null),
        name,
        learnedBytes);
  }
}
