package org.schedgpu.agent.overrun;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.agent.overrun.GpuUse.JobUse;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.PidFd;
import org.schedgpu.jna.RegionSnapshot;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends programs of a job that use a device without asking: SIGTERM, later SIGKILL. It ends only a
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

  /**
   * Which programs it ends.
   *
   * @param overruns programs of a job with unreserved memory that never asked
   * @param unscheduled programs that run unscheduled, in a control group of the job's own
   */
  record Ends(boolean overruns, boolean unscheduled) {
    private List<GpuUser> of(JobUse job) {
      List<GpuUser> programs = new ArrayList<>();
      if (overruns && job.overruns()) {
        job.processes().stream().filter(user -> !user.asks()).forEach(programs::add);
      }
      if (unscheduled) {
        job.unscheduled().stream().filter(user -> !user.step().isEmpty()).forEach(programs::add);
      }
      return programs;
    }
  }

  /** One sample of the devices. */
  void round(GpuUse use, RegionSnapshot snapshot, Ends ends, long graceNs, long nowNs) {
    Map<Integer, String> seen = new LinkedHashMap<>(); // a program may be on several devices
    if (snapshot.jobs().stream().noneMatch(job -> job.kind() == JobKind.UNKNOWN)) {
      for (JobUse job : use.jobs()) {
        ends.of(job).forEach(user -> seen.putIfAbsent(user.pid(), text(job, user)));
      }
    }
    seen.remove((int) ProcessHandle.current().pid());
    seen.forEach((pid, text) -> observe(pid, text, graceNs, nowNs));
    suspects.forEach((pid, suspect) -> proceed(suspect, nowNs));
    suspects.entrySet().removeIf(e -> isOver(e.getValue(), seen.containsKey(e.getKey())));
  }

  private void observe(int pid, String text, long graceNs, long nowNs) {
    Suspect known = suspects.get(pid);
    if (known == null) {
      PidFd.open(pid).ifPresent(fd -> suspects.put(pid, new Suspect(fd, text)));
    } else if (!known.signalled) {
      known.signalled = true;
      known.killNs = nowNs + graceNs;
      LOG.warn("end signal=TERM {}", known.text);
      known.process.kill(SIGTERM);
      counter.run();
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
