package org.schedgpu.gres.rollout;

/**
 * The result of a run.
 *
 * @param kind how it ended
 * @param message what is wrong and what to do; empty if the rollout is done
 */
public record RolloutResult(Kind kind, String message) {
  /** The ways in which a run ends. */
  public enum Kind {
    DONE,
    /** A person is needed; the rollout is open. */
    STOPPED,
    /** GPU jobs did not end within the limit; the rollout is open. */
    JOBS_REMAIN
  }

  static RolloutResult done() {
    return new RolloutResult(Kind.DONE, "");
  }

  static RolloutResult stopped(String problem, String action) {
    return new RolloutResult(Kind.STOPPED, "schedgpu gres: " + problem + ": " + action);
  }
}
