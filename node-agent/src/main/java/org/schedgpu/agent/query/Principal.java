package org.schedgpu.agent.query;

/**
 * The user who sent a query, and what this user can view: root sees all jobs, and with
 * PrivateData=none so does everybody; otherwise users see their own jobs and sums of the rest.
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
