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

  /** A principal who can see everything. */
  public static Principal root() {
    return new Principal(ROOT, true);
  }

  /** True if this principal may see the jobs of a user. */
  public boolean maySee(int user) {
    return seesAll() || uid == user;
  }

  /** True if this principal may see all jobs. */
  public boolean seesAll() {
    return uid == ROOT || !jobsArePrivate;
  }
}
