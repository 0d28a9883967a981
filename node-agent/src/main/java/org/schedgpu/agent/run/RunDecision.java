package org.schedgpu.agent.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.jna.DeviceSpec;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RunOptions;
import org.schedgpu.jna.Units;

/**
 * The job of {@code schedgpu run}: what was asked for, on the devices that are there. What of it
 * may be had libschedgpu decides ({@link RunOptions}).
 */
final class RunDecision {
  private final RunWish wish;
  private final Conf conf;
  private final Function<String, OptionalLong> known;
  private boolean learned;

  /**
   * Of a wish.
   *
   * @param known the budget that earlier runs of this user's jobs of a name needed
   */
  RunDecision(RunWish wish, Conf conf, Function<String, OptionalLong> known) {
    this.wish = wish;
    this.conf = conf;
    this.known = known;
  }

  /** The priority that was asked for, before it was lowered. */
  int wantedPriority() {
    return wish.priority().map(text -> Units.priority(text).orElse(0)).orElse(0);
  }

  /** Whether the budget is what earlier runs needed; of a decision that was made. */
  boolean isLearned() {
    return learned;
  }

  /**
   * The job of this process, on a node with these devices.
   *
   * @throws RunOptions.WrongOptionException if it cannot be had, with the reason
   */
  JobSpec of(List<Device> there) {
    String name = Optional.ofNullable(wish.command().getFileName()).map(Path::toString).orElse("");
    List<DeviceSpec> devices =
        wish.devices().stream().distinct().map(index -> device(index, there)).toList();
    boolean asks = wish.mem().isEmpty() && conf.learnsDefaultMem() && !name.isEmpty();
    long bytes = asks ? known.apply(name).orElse(0) : 0;
    RunOptions.Decided decided =
        wish.options(name, bytes).decide(conf.file().toString(), conf.source(), devices);
    learned = decided.learned();
    return decided.job();
  }

  private static DeviceSpec device(int index, List<Device> there) {
    Device device =
        there.stream()
            .filter(candidate -> candidate.index() == index)
            .findFirst()
            .orElseThrow(
                () ->
                    new RunOptions.WrongOptionException(
                        "--device=%d: must be a device of this node: it has %s"
                            .formatted(index, indexes(there))));
    return new DeviceSpec(
        index,
        device.totalBytes(),
        device.totalBytes() - device.usableBytes(),
        device.contextBytes(),
        device.uuid(),
        "");
  }

  private static String indexes(List<Device> there) {
    return String.join(", ", there.stream().map(d -> Integer.toString(d.index())).toList());
  }
}
