package org.schedgpu.agent.overrun;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.schedgpu.agent.overrun.GpuUse.JobUse;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.PidFd;
import org.schedgpu.jna.RegionSnapshot;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends programs of a job that use memory without asking: SIGTERM, later SIGKILL. It ends only a
 * process that two consecutive samples show and that never asked (in one that asked, the context is
 * probably larger than configured). While records of processes are lost it ends none, because such
 * processes look as if they had not asked. It ignores programs of no job.
 */
final class ProgramEnder {
  private static final Logger LOG = LoggerFactory.getLogger(ProgramEnder.class);
  private static final int SIGTERM = 15;
  private static final int SIGKILL = 9;

  private final Runnable counter;
  private final Map<Integer, Suspect> suspects = new HashMap<>();

  /** A process, identified by a descriptor, because its number may be given to another process. */
  private static final class Suspect {
    private final PidFd process;
    private final String text;
    private boolean signalled;
    private boolean killed;
    private long killNs;

    Suspect(PidFd process, String text) {
      this.process = process;
      this.text = text;
    }
  }

  /**
   * @param counter is called for each program that gets SIGTERM
   */
  ProgramEnder(Runnable counter) {
    this.counter = counter;
  }

  /** One sample of the devices. */
  void round(GpuUse use, RegionSnapshot snapshot, long graceNs, long nowNs) {
    Set<Integer> seen = new HashSet<>();
    if (snapshot.jobs().stream().noneMatch(job -> job.kind() == JobKind.UNKNOWN)) {
      use.jobs().stream()
          .filter(JobUse::overruns)
          .forEach(job -> observe(job, seen, graceNs, nowNs));
    }
    suspects.forEach((pid, suspect) -> proceed(suspect, nowNs));
    suspects.entrySet().removeIf(e -> isOver(e.getValue(), seen.contains(e.getKey())));
  }

  private void observe(JobUse job, Set<Integer> seen, long graceNs, long nowNs) {
    for (GpuUser user : job.processes()) {
      if (user.asks() || user.pid() == ProcessHandle.current().pid()) {
        continue;
      }
      seen.add(user.pid());
      Suspect known = suspects.get(user.pid());
      if (known == null) {
        PidFd.open(user.pid())
            .ifPresent(fd -> suspects.put(user.pid(), new Suspect(fd, text(job, user))));
      } else if (!known.signalled) {
        known.signalled = true;
        known.killNs = nowNs + graceNs;
        LOG.warn("end signal=TERM {}", known.text);
        known.process.kill(SIGTERM);
        counter.run();
      }
    }
  }

  private static String text(JobUse job, GpuUser user) {
    return "job=%s pid=%d program=%s device=%d bytes=%d"
        .formatted(
            job.job().reference(),
            user.pid(),
            user.name(),
            job.device(),
            user.usedBytes().orElse(0));
  }

  private static void proceed(Suspect suspect, long nowNs) {
    boolean due = suspect.signalled && !suspect.killed && nowNs - suspect.killNs >= 0;
    if (due && !suspect.process.ended()) {
      suspect.killed = true;
      LOG.warn("end signal=KILL {}", suspect.text);
      suspect.process.kill(SIGKILL);
    }
  }

  private static boolean isOver(Suspect suspect, boolean seen) {
    boolean ended = suspect.process.ended();
    if (ended && suspect.signalled) {
      LOG.info("ended {}", suspect.text);
    }
    if (ended || (!seen && !suspect.signalled)) {
      suspect.process.close();
      return true;
    }
    return false;
  }

  /** In how many nanoseconds the next sample is due. */
  long nextNs(long nowNs) {
    return suspects.values().stream()
        .filter(suspect -> suspect.signalled && !suspect.killed)
        .mapToLong(suspect -> Math.max(1, suspect.killNs - nowNs))
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** Clears all suspicions. */
  void forget() {
    suspects.values().forEach(suspect -> suspect.process.close());
    suspects.clear();
  }
}
