package org.schedgpu.gres.rollout;

/**
 * How a run ended.
 *
 * @param kind whether it is done
 * @param message what is wrong and what to do, empty if it is done
 */
public record RolloutResult(Kind kind, String message) {
  /** How far it came. */
  public enum Kind {
    DONE,
    /** Somebody has to look; the rollout is open. */
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
