package org.schedgpu.agent.task;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.process.HostProcesses;
import org.schedgpu.jna.SchedGpu.LockHolder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Names who sits on the lock of the region, once, and says when it is free again. */
final class StuckLock {
  private static final Logger LOG = LoggerFactory.getLogger(StuckLock.class);
  private static final char STOPPED = 'T';

  private final HostProcesses processes = new HostProcesses();
  private int pid;
  private long sinceNs;

  /** It could not be had within the time. */
  void heldBy(Optional<LockHolder> holder) {
    int now = holder.map(LockHolder::pid).orElse(-1);
    if (now == pid) {
      return;
    }
    pid = now;
    sinceNs = System.nanoTime();
    LOG.warn("lock held: {}", holder.map(this::text).orElse("by nobody that is known"));
  }

  /** Its number is that of its own PID namespace: another process may have it in ours. */
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

  /** It could be had. */
  void free() {
    if (pid != 0) {
      pid = 0;
      LOG.info(
          "lock free again after {} s",
          TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - sinceNs));
    }
  }
}
