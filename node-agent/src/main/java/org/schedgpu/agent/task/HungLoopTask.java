package org.schedgpu.agent.task;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports, once, the task in which another loop hangs, most likely in NVML or in a name server. */
public final class HungLoopTask implements PeriodicTask {
  private static final Logger LOG = LoggerFactory.getLogger(HungLoopTask.class);
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(10);
  private static final long PATIENCE_S = 60;

  private final EventLoop other;
  private Optional<String> told = Optional.empty();

  /**
   * Runs in a loop of its own.
   *
   * @param other the loop that may hang
   */
  public HungLoopTask(EventLoop other) {
    this.other = other;
  }

  @Override
  public String name() {
    return "patience";
  }

  @Override
  public long run(long nowNs) {
    Optional<String> stuck = other.stuckIn(nowNs, TimeUnit.SECONDS.toNanos(PATIENCE_S));
    if (!stuck.equals(told)) {
      stuck.ifPresentOrElse(
          task ->
              LOG.warn("{} has not come back for {} s: does nvidia-smi answer?", task, PATIENCE_S),
          () -> LOG.info("{} has come back", told.orElse("")));
      told = stuck;
    }
    return LOOK_NS;
  }
}
