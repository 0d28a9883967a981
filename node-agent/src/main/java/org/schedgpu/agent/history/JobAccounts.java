package org.schedgpu.agent.history;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * Asks Slurm for the accounts of jobs that the history has without one. Slurm says it for each job
 * alone, so that slurmctld need not send all of its jobs, and soon after the job began: it forgets
 * a job that has ended (MinJobAge).
 */
final class JobAccounts {
  /** After its end a job is asked for so long. */
  private static final long FORGOTTEN_NS = TimeUnit.MINUTES.toNanos(5);

  private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long LONGEST_PAUSE_NS = TimeUnit.MINUTES.toNanos(5);
  private static final int MOST = 20;

  private final LongFunction<Optional<String>> slurm;
  private long pauseNs = PAUSE_NS;
  private long nextNs;
  private boolean asked;

  /**
   * @param slurm the account of a job by its number; empty: no answer
   */
  JobAccounts(LongFunction<Optional<String>> slurm) {
    this.slurm = slurm;
  }

  /** Asks for some jobs. If Slurm does not answer, it is asked again after growing pauses. */
  void look(HistoryWriter writer, Clock clock, long nowNs) {
    if (asked && nowNs - nextNs < 0) {
      return;
    }
    asked = true;
    pauseNs = ask(writer, clock) ? PAUSE_NS : Math.min(LONGEST_PAUSE_NS, pauseNs * 2);
    nextNs = nowNs + pauseNs;
  }

  private boolean ask(HistoryWriter writer, Clock clock) {
    for (Map.Entry<Long, Long> job :
        writer.withoutAccount(clock.nowNs() - FORGOTTEN_NS, MOST).entrySet()) {
      Optional<String> account = slurm.apply(job.getValue());
      if (account.isEmpty()) {
        return false;
      }
      writer.account(job.getKey(), account.get());
    }
    return true;
  }
}
