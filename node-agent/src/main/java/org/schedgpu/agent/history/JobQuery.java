package org.schedgpu.agent.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Which jobs of the history are asked for. Made by {@link #all()} and narrowed from there.
 *
 * @param sinceNs not those that ended before
 * @param untilNs not those that began at it or later
 * @param uid of this user only
 * @param kind of this kind only
 * @param id with this number only
 * @param name with this name only
 * @param beforeRow with smaller rows only: the next page
 * @param limit at most so many
 */
public record JobQuery(
    OptionalLong sinceNs,
    OptionalLong untilNs,
    OptionalInt uid,
    Optional<String> kind,
    OptionalLong id,
    Optional<String> name,
    OptionalLong beforeRow,
    int limit) {

  /** Every job. */
  public static JobQuery all() {
    return new JobQuery(
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalInt.empty(),
        Optional.empty(),
        OptionalLong.empty(),
        Optional.empty(),
        OptionalLong.empty(),
        Integer.MAX_VALUE);
  }

  /** Those that ran at some time from {@code ns} on. */
  public JobQuery since(long ns) {
    return new JobQuery(OptionalLong.of(ns), untilNs, uid, kind, id, name, beforeRow, limit);
  }

  /** Those that began before {@code ns}. */
  public JobQuery until(long ns) {
    return new JobQuery(sinceNs, OptionalLong.of(ns), uid, kind, id, name, beforeRow, limit);
  }

  /** Those of a user. */
  public JobQuery ofUser(int user) {
    return new JobQuery(sinceNs, untilNs, OptionalInt.of(user), kind, id, name, beforeRow, limit);
  }

  /** One job, or several if the number was given again. */
  public JobQuery job(String ofKind, long number) {
    return new JobQuery(
        sinceNs,
        untilNs,
        uid,
        Optional.of(ofKind),
        OptionalLong.of(number),
        name,
        beforeRow,
        limit);
  }

  /** Those with a name. */
  public JobQuery named(String jobName) {
    return new JobQuery(sinceNs, untilNs, uid, kind, id, Optional.of(jobName), beforeRow, limit);
  }

  /** Those behind a job, in the order of the answers: newest first. */
  public JobQuery before(long row) {
    return new JobQuery(sinceNs, untilNs, uid, kind, id, name, OptionalLong.of(row), limit);
  }

  /** At most so many. */
  public JobQuery limit(int most) {
    return new JobQuery(sinceNs, untilNs, uid, kind, id, name, beforeRow, most);
  }

  /** The condition of a SELECT from job; its values are put into {@code values}. */
  String where(List<Object> values) {
    List<String> terms = new ArrayList<>();
    sinceNs.ifPresent(ns -> term(terms, values, "(ended_ns IS NULL OR ended_ns >= ?)", ns));
    untilNs.ifPresent(ns -> term(terms, values, "begun_ns < ?", ns));
    uid.ifPresent(user -> term(terms, values, "uid = ?", Integer.toUnsignedLong(user)));
    kind.ifPresent(text -> term(terms, values, "kind = ?", text));
    id.ifPresent(number -> term(terms, values, "id = ?", number));
    name.ifPresent(text -> term(terms, values, "name = ?", text));
    beforeRow.ifPresent(row -> term(terms, values, "job < ?", row));
    return terms.isEmpty() ? "" : " WHERE " + String.join(" AND ", terms);
  }

  private static void term(List<String> terms, List<Object> values, String term, Object value) {
    terms.add(term);
    values.add(value);
  }
}
