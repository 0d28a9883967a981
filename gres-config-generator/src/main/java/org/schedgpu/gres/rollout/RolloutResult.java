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
    /** The rollout ended, but left nodes that are not in service; a person must resume them. */
    LEFT,
    /** A person is needed; the rollout is open. */
    STOPPED,
    /** GPU jobs did not end within the limit; the rollout is open. */
    JOBS_REMAIN
  }

  static RolloutResult done() {
    return new RolloutResult(Kind.DONE, "");
  }

  /**
   * @param nodes hostlist of the nodes that are left
   */
  static RolloutResult left(String nodes) {
    return new RolloutResult(
        Kind.LEFT,
        "schedgpu gres: the files are in place, but the rollout did not resume %s:".formatted(nodes)
            + " correct what sinfo -R shows, restart slurmd there, then:"
            + " scontrol update nodename=%s state=resume".formatted(nodes));
  }

  static RolloutResult stopped(String problem, String action) {
    return new RolloutResult(Kind.STOPPED, "schedgpu gres: " + problem + ": " + action);
  }
}
