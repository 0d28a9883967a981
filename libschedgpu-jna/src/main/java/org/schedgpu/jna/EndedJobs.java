package org.schedgpu.jna;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The ended jobs of a snapshot. There are many and few callers need them, so they are read when
 * first asked for. A damaged record is left out.
 */
final class EndedJobs extends AbstractList<EndedJob> {
  private static final int NAME_SIZE = 64;

  private final long after;
  private RegionBytes region;
  private List<EndedJob> jobs;

  /**
   * All jobs that ended after a given one.
   *
   * @param after its sequence. If no job has such a sequence, the region counts from the start
   *     again; then the result has all jobs
   */
  EndedJobs(RegionBytes region, long after) {
    this.region = region;
    this.after = after;
  }

  /** The snapshot was closed, so its bytes no longer exist: the caller asked too late. */
  synchronized void forget() {
    region = null;
  }

  @Override
  public EndedJob get(int index) {
    return jobs().get(index);
  }

  @Override
  public int size() {
    return jobs().size();
  }

  private synchronized List<EndedJob> jobs() {
    if (jobs == null) {
      if (region == null) {
        throw new IllegalStateException("the picture has been closed");
      }
      jobs = read();
    }
    return jobs;
  }

  private List<EndedJob> read() {
    List<EndedJob> found = new ArrayList<>();
    long[] sequences = new long[region.count("ended")];
    for (int i = 0; i < sequences.length; i++) {
      sequences[i] = region.record("ended", i).u64("sequence");
    }
    long newest = Arrays.stream(sequences).max().orElse(0);
    for (int i = 0; i < sequences.length; i++) {
      if (sequences[i]
          > (newest < after ? 0 : after)) { // few jobs have refusals, on most nodes none
        read(i).ifPresent(found::add);
      }
    }
    found.sort(Comparator.comparingLong(EndedJob::sequence));
    return List.copyOf(found);
  }

  private Optional<EndedJob> read(int index) {
    RegionBytes.Row ended = region.record("ended", index);
    Optional<JobKind> kind = JobKind.of(ended.u32("kind"));
    Optional<Mode> mode = Mode.of(ended.u32("mode"));
    Damage damage = new Damage();
    Sizes sizes = new Sizes(region.count("device"), damage);
    if (kind.isEmpty() || mode.isEmpty() || outOfRange(ended)) {
      return Optional.empty();
    }
    EndedJob job =
        new EndedJob(
            ended.u64("sequence"),
            kind.get(),
            ended.u64("id"),
            ended.text("name", NAME_SIZE),
            ended.i32("uid"),
            ended.i32("priority"),
            mode.get(),
            sizes.of("ended", index, ended.u32("device_mask"), ended.byDevice("budget_bytes")),
            sizes.anyOf("ended", index, ended.byDevice("peak_bytes")),
            sizes.anyOf("ended", index, ended.byDevice("context_peak_bytes")),
            ended.u64("begun_ns"),
            ended.u64("ended_ns"),
            JobFigures.of(figure -> ended.u64(figure.field())),
            new Refusals(ended.u32("refusals"), ended.u64("refused_bytes")),
            lane(ended));
    return damage.list().isEmpty() ? Optional.of(job) : Optional.empty();
  }

  private static Optional<LaneUse> lane(RegionBytes.Row ended) {
    return LanePolicy.of(ended.u32("lane_policy"))
        .map(
            policy ->
                new LaneUse(
                    policy,
                    0,
                    ended.u32("turns"),
                    ended.u32("switches"),
                    ended.u64("service_ns"),
                    ended.u64("turn_waited_ns"),
                    ended.u64("kept_bytes")));
  }

  /** No job has a number of 2^63 or more, . */
  private static boolean outOfRange(RegionBytes.Row ended) {
    return ended.u64("id") < 0
        || ended.u64("begun_ns") < 0
        || ended.u64("ended_ns") < 0
        || Stream.of(JobFigure.values()).anyMatch(figure -> ended.u64(figure.field()) < 0)
        || ended.u64("refused_bytes") < 0
        || ended.u64("service_ns") < 0
        || ended.u64("turn_waited_ns") < 0
        || ended.u64("kept_bytes") < 0;
  }
}
