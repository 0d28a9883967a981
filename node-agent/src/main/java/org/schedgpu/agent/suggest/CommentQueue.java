package org.schedgpu.agent.suggest;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.rest.SlurmRestException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Comments to be sent to Slurm's jobs: the newest of each job, at most {@value #MOST}. If
 * slurmrestd is unreachable, the queue tries again after growing delays, and logs that once. One
 * thread adds comments, another sends them.
 */
final class CommentQueue {
  static final int MOST = 1024;
  static final long FIRST_PAUSE_NS = TimeUnit.SECONDS.toNanos(1);
  static final long LONGEST_PAUSE_NS = TimeUnit.MINUTES.toNanos(5);

  private static final Logger LOG = LoggerFactory.getLogger(CommentQueue.class);

  private final SlurmJobs.Connector connector;
  private final Map<Long, String> waiting = new LinkedHashMap<>();
  private final Set<Long> notOurs = new LinkedHashSet<>();
  private SlurmJobs slurm;
  private long pauseNs = FIRST_PAUSE_NS;
  private String told = "";

  CommentQueue(SlurmJobs.Connector connector) {
    this.connector = connector;
  }

  /** Adds a text for a job; if there are too many, the oldest is dropped. */
  synchronized void offer(long job, String text) {
    if (notOurs.contains(job)) {
      return;
    }
    waiting.put(job, text);
    if (waiting.size() > MOST) {
      dropFirst(waiting.keySet());
    }
    notifyAll();
  }

  private static void dropFirst(Set<Long> jobs) {
    Iterator<Long> first = jobs.iterator();
    LOG.debug("comment of job {}: dropped, too many wait", first.next());
    first.remove();
  }

  synchronized int size() {
    return waiting.size();
  }

  private synchronized Map.Entry<Long, String> first() {
    return waiting.isEmpty() ? null : Map.entry(first(waiting), waiting.get(first(waiting)));
  }

  private static long first(Map<Long, String> map) {
    return map.keySet().iterator().next();
  }

  /** A newer text that came meanwhile stays. */
  private synchronized void done(Map.Entry<Long, String> sent) {
    waiting.remove(sent.getKey(), sent.getValue());
  }

  private synchronized void leaveAlone(long job) {
    notOurs.add(job);
    if (notOurs.size() > MOST) {
      dropFirst(notOurs);
    }
    waiting.remove(job);
  }

  /**
   * Sends the first comment.
   *
   * @return after how many nanoseconds to send the next one; 0: at once
   */
  long step() {
    Map.Entry<Long, String> next = first();
    if (next == null) {
      return 0;
    }
    try {
      send(next);
      pauseNs = FIRST_PAUSE_NS;
      told = "";
      return 0;
    } catch (AgentException wrong) {
      return pauseAfter(wrong.getMessage());
    } catch (SlurmRestException problem) {
      return failed(next, problem);
    }
  }

  private void send(Map.Entry<Long, String> next) throws SlurmRestException {
    if (slurm == null) {
      slurm = connector.connect();
    }
    long job = next.getKey();
    if (JobComment.isOurs(slurm.read(job))) {
      slurm.write(job, next.getValue());
      done(next);
    } else {
      LOG.debug("comment of job {}: a user wrote one, it stays as it is", job);
      leaveAlone(job);
    }
  }

  /** If Slurm accepts no more comments for this job, that is not an error: the next one is sent. */
  private long failed(Map.Entry<Long, String> next, SlurmRestException problem) {
    if (problem.isJobOver()) {
      LOG.debug("comment of job {}: too late: {}", next.getKey(), problem.getMessage());
      done(next);
      return 0;
    }
    slurm = null; // the address, the token or the served versions may have changed
    if (problem.kind() == SlurmRestException.Kind.REFUSED) {
      done(next);
    }
    return pauseAfter(problem.getMessage());
  }

  private long pauseAfter(String problem) {
    long pause = pauseNs;
    pauseNs = Math.min(LONGEST_PAUSE_NS, pauseNs * 2);
    if (told.isEmpty()) {
      told = problem;
      LOG.warn("SlurmComment: {}: tried again, with longer and longer pauses", problem);
    } else {
      LOG.debug("SlurmComment: {}", problem);
    }
    return pause;
  }

  /** Runs until the thread is interrupted. */
  void run() {
    try {
      while (true) {
        synchronized (this) {
          while (waiting.isEmpty()) {
            wait();
          }
        }
        TimeUnit.NANOSECONDS.sleep(step());
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }
}
