package org.schedgpu.agent.query;

/**
 * Who asks, and what he may see: root and, with PrivateData=none, everybody sees all jobs; others
 * see their own, and sums of the rest.
 *
 * @param uid as the kernel says
 * @param jobsArePrivate PrivateData=jobs
 */
public record Principal(int uid, boolean jobsArePrivate) {
  private static final int ROOT = 0;

  /** One who sees everything. */
  public static Principal root() {
    return new Principal(ROOT, true);
  }

  /** Whether jobs of a user may be shown to this one. */
  public boolean maySee(int user) {
    return seesAll() || uid == user;
  }

  /** Whether all jobs may be shown. */
  public boolean seesAll() {
    return uid == ROOT || !jobsArePrivate;
  }
}
