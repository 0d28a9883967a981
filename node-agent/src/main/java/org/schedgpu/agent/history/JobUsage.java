package org.schedgpu.agent.history;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * What the jobs of a user, or of an account, had of the devices of this node.
 *
 * @param name of the user or the account; empty: of no account
 * @param jobs number of them
 * @param waitedNs how long they waited for memory, together
 * @param reservedByteSeconds memory that was reserved for them, by the time for which it was
 * @param usedByteSeconds memory that their programs had in use, by that time
 * @param turnNs how long they had turns of lanes, those of which it is known; empty: of none
 * @param turnUnknownJobs number of lane jobs of which it is not known
 */
public record JobUsage(
    String name,
    long jobs,
    long waitedNs,
    double reservedByteSeconds,
    double usedByteSeconds,
    OptionalLong turnNs,
    long turnUnknownJobs) {

  /** Of what the sums are. */
  public enum By {
    USER("user"),
    ACCOUNT("account");

    private final String text;

    By(String text) {
      this.text = text;
    }

    /** As users write it, and the key of the name in JSON. */
    public String text() {
      return text;
    }

    /** The value with a text; null if there is none. */
    static By of(String text) {
      for (By by : values()) {
        if (by.text.equals(text)) {
          return by;
        }
      }
      return null;
    }
  }

  /**
   * What a job had reserved of a device, in the mean of the time in which it held memory. A budget
   * of mode peak or gate is reserved as a whole; one that has grown is more in the samples.
   */
  private static final String RESERVED =
      "CASE mode WHEN 'ondemand' THEN coalesce(1.0 * held_bytes / samples, peak_bytes)"
          + " ELSE max(requested_bytes, coalesce(1.0 * held_bytes / samples, 0)) END";

  /** What it used: of a job that was too short for a sample only the most is known. */
  private static final String USED = "coalesce(1.0 * in_use_bytes / samples, peak_bytes)";

  /** How much of a job lies in the time asked for. */
  private static final String PART =
      "CASE WHEN end_ns <= begun_ns THEN 1.0 ELSE"
          + " 1.0 * (min(end_ns, ?) - max(begun_ns, ?)) / (end_ns - begun_ns) END";

  /**
   * Sums by user or account, the largest reservation first. A job that lies in the time asked for
   * in part counts with that part.
   *
   * @param query without {@code since} and {@code until}
   */
  static List<JobUsage> of(Sql sql, JobQuery query, By by, long sinceNs, long untilNs) {
    JobQuery narrowed = query.since(sinceNs).until(untilNs);
    String jobs =
        "SELECT job, user, mode, begun_ns, held_ns, waited_ns,"
            + " coalesce(ended_ns, max(begun_ns, ?)) AS end_ns FROM job"
            + narrowed.where();
    String parts = "SELECT *, " + PART + " AS part FROM (" + jobs + ")";
    String devices =
        "SELECT job, device, requested_bytes, peak_bytes, samples, held_bytes, in_use_bytes"
            + " FROM job_device LEFT JOIN job_usage USING (job, device)";
    String sums =
        "SELECT p.job, user, part, part * waited_ns AS waited,"
            + " part * held_ns / 1e9 * coalesce(sum(%s), 0) AS reserved,".formatted(RESERVED)
            + " part * held_ns / 1e9 * coalesce(sum(%s), 0) AS used".formatted(USED)
            + " FROM (%s) p LEFT JOIN (%s) d ON d.job = p.job GROUP BY p.job"
                .formatted(parts, devices);
    String name = by == By.USER ? "user" : "coalesce(account, '')";
    List<Object> values = new ArrayList<>(List.of(untilNs, sinceNs, untilNs));
    values.addAll(narrowed.values());
    List<JobUsage> usage = new ArrayList<>();
    sql.each(
        row ->
            usage.add(
                new JobUsage(
                    row.getString(1),
                    row.getLong(2),
                    row.getLong(3),
                    row.getDouble(4),
                    row.getDouble(5),
                    row.getObject(6) == null
                        ? OptionalLong.empty()
                        : OptionalLong.of(row.getLong(6)),
                    row.getLong(7))),
        "SELECT %s AS name, count(*), CAST(sum(waited) AS INTEGER), sum(reserved), sum(used),"
                .formatted(name)
            + " CAST(sum(part * service_ns) AS INTEGER), count(policy) - count(service_ns)"
            + " FROM (%s) s LEFT JOIN job_account a ON a.job = s.job".formatted(sums)
            + " LEFT JOIN job_lane l ON l.job = s.job"
            + " GROUP BY 1 ORDER BY 4 DESC, 1",
        values);
    return usage;
  }
}
