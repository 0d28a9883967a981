package org.schedgpu.agent.task;

import java.util.concurrent.TimeUnit;
import org.schedgpu.jna.ServiceNotice;

/** Tells systemd that the loop is running; otherwise systemd restarts the agent (WatchdogSec). */
public final class WatchdogTask implements PeriodicTask {
  private static final int SIGNS_IN_TIME = 3;

  private final ServiceNotice notice;
  private final long everyNs;

  /**
   * Reports at a third of the time that systemd allows.
   *
   * @param notice to systemd
   */
  public WatchdogTask(ServiceNotice notice) {
    this.notice = notice;
    this.everyNs = notice.watchdogNs().orElse(TimeUnit.DAYS.toNanos(1)) / SIGNS_IN_TIME;
  }

  @Override
  public String name() {
    return "watchdog";
  }

  @Override
  public long run(long nowNs) {
    if (notice.watchdogNs().isPresent()) {
      notice.send("WATCHDOG=1");
    }
    return everyNs;
  }
}
