package org.schedgpu.agent.task;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.process.HostProcesses;
import org.schedgpu.jna.SchedGpu.LockHolder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the process that holds the lock of the region too long, once, and logs when the lock is free
 * again.
 */
final class StuckLock {
  private static final Logger LOG = LoggerFactory.getLogger(StuckLock.class);
  private static final char STOPPED = 'T';

  private final HostProcesses processes = new HostProcesses();
  private int pid;
  private long sinceNs;

  /** The lock could not be taken within the time. */
  void heldBy(Optional<LockHolder> holder) {
    int now = holder.map(LockHolder::pid).orElse(-1);
    if (now == pid) {
      return;
    }
    pid = now;
    sinceNs = System.nanoTime();
    LOG.warn("lock held: {}", holder.map(this::text).orElse("by an unknown process"));
  }

  /** The number is in the owner's PID namespace: in ours another process may have it. */
  private String text(LockHolder holder) {
    String program = processes.find(holder.pid()).map(process -> " " + process.name()).orElse("");
    return "pid=%d%s state=%c: the whole node waits: %s"
        .formatted(
            holder.pid(),
            program,
            holder.state(),
            holder.state() == STOPPED
                ? "it is stopped: continue it (kill -CONT) or kill it"
                : "if it stays so, kill it");
  }

  /** The lock was taken. */
  void free() {
    if (pid != 0) {
      pid = 0;
      LOG.info(
          "lock free again after {} s",
          TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - sinceNs));
    }
  }
}
