package org.schedgpu.agent.history;

import java.util.ArrayList;
import java.util.List;

/**
 * Selects jobs of the history. Starts from {@link #all()}; each method returns a narrower query.
 * Immutable.
 */
public final class JobQuery {
  private final List<String> terms;
  private final List<Object> values;
  private final int limit;
  private final boolean inTurns;

  private JobQuery(List<String> terms, List<Object> values, int limit, boolean inTurns) {
    this.terms = terms;
    this.values = values;
    this.limit = limit;
    this.inTurns = inTurns;
  }

  /** Every job. */
  public static JobQuery all() {
    return new JobQuery(List.of(), List.of(), Integer.MAX_VALUE, false);
  }

  private JobQuery and(String term, Object... more) {
    List<String> narrower = new ArrayList<>(terms);
    narrower.add(term);
    List<Object> with = new ArrayList<>(values);
    with.addAll(List.of(more));
    return new JobQuery(List.copyOf(narrower), List.copyOf(with), limit, inTurns);
  }

  /** Jobs that ran at some time from {@code ns} on. */
  public JobQuery since(long ns) {
    return and("(ended_ns IS NULL OR ended_ns >= ?)", ns);
  }

  /** Jobs that began before {@code ns}. */
  public JobQuery until(long ns) {
    return and("begun_ns < ?", ns);
  }

  /** Jobs of a user. */
  public JobQuery ofUser(int uid) {
    return and("uid = ?", Integer.toUnsignedLong(uid));
  }

  /** Selects the jobs of a user, given by user id or by the name at the time of the job. */
  public JobQuery ofUser(String user) {
    return user.matches("[0-9]{1,10}")
        ? and("(user = ? OR uid = ?)", user, Long.parseLong(user))
        : and("user = ?", user);
  }

  /** One job, or several if the number was reused. */
  public JobQuery job(String kind, long id) {
    return and("kind = ? AND id = ?", kind, id);
  }

  /** Jobs with a name. */
  public JobQuery named(String name) {
    return and("name = ?", name);
  }

  /** Lane jobs. */
  public JobQuery inLanes() {
    return and("policy IS NOT NULL");
  }

  /** Jobs that have ended, or were lost. */
  public JobQuery ended() {
    return and("ended_ns IS NOT NULL");
  }

  /** Jobs after a given one in the order of answers: newest first. */
  public JobQuery before(long row) {
    return and("job < ?", row);
  }

  /** At most this number. */
  public JobQuery limit(int most) {
    return new JobQuery(terms, values, most, inTurns);
  }

  /**
   * In another order: the newest job of each user, then the second of each, and so on. A limit then
   * leaves something of each user, however many jobs one of them has.
   */
  public JobQuery inTurnsOfUsers() {
    return new JobQuery(terms, values, limit, true);
  }

  /** The order of a SELECT from job. */
  String order() {
    return inTurns
        ? "row_number() OVER (PARTITION BY uid ORDER BY job DESC), job DESC"
        : "job DESC";
  }

  /** The condition of a SELECT from job, with a question mark for each of {@link #values}. */
  String where() {
    return terms.isEmpty() ? "" : " WHERE " + String.join(" AND ", terms);
  }

  List<Object> values() {
    return values;
  }

  int most() {
    return limit;
  }
}
