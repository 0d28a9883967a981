package org.schedgpu.jna;

import java.util.Optional;
import org.schedgpu.jna.RegionSnapshot.Job;

/** The registered jobs of a snapshot. */
final class JobParser {
  static final int NAME_SIZE = 64;
  private static final int ACTIVE = 1;
  private static final int ENDING = 2;
  private static final long FLAG_OWNED = 1;
  private static final long FLAG_DEAD = 4;

  private final RegionBytes region;
  private final Damage damage;
  private final Sizes sizes;
  private final int devices;
  private final long nowNs;
  private final PendingRefusals marks;

  JobParser(RegionBytes region, Damage damage, PendingRefusals marks, long nowNs) {
    this.region = region;
    this.damage = damage;
    this.nowNs = nowNs;
    this.marks = marks;
    devices = region.count("device");
    sizes = new Sizes(devices, damage);
  }

  Optional<Job> job(int index) {
    RegionBytes.Row job = region.record("job", index);
    long state = job.u32("state");
    Optional<JobKind> kind = JobKind.of(job.u32("kind"));
    Optional<Mode> mode = Mode.of(job.u32("mode"));
    long mask = job.u32("device_mask");
    if ((state != ACTIVE && state != ENDING) || kind.isEmpty() || mode.isEmpty()) {
      return damage.leaveOut(
          "job",
          index,
          "state " + state + ", kind " + job.u32("kind") + ", mode " + job.u32("mode"));
    }
    if (mask == 0 || mask >>> devices != 0) {
      return damage.leaveOut("job", index, "device mask " + Long.toHexString(mask));
    }
    if (job.u64("id") < 0) {
      return damage.leaveOut("job", index, "id " + Long.toUnsignedString(job.u64("id")));
    }
    return Optional.of(
        new Job(
            index,
            kind.get(),
            job.u64("id"),
            job.i32("uid"),
            job.text("name", NAME_SIZE),
            mode.get(),
            job.u32("processes"),
            job.u32("admitted") != 0,
            job.i32("priority"),
            state == ENDING,
            (job.u32("flags") & FLAG_OWNED) != 0,
            (job.u32("flags") & FLAG_DEAD) != 0,
            job.u64("begun_ns"),
            job.u64("wait_ns"),
            sizes.of("job", index, mask, job.byDevice("budget_bytes")),
            sizes.of("job", index, mask & job.u32("held_mask"), job.byDevice("reserved_bytes")),
            sizes.anyOf("job", index, job.byDevice("overrun_bytes")),
            sizes.anyOf("job", index, job.byDevice("peak_bytes")),
            figures(index, job),
            new Refusals(
                    job.u32("refusals"), number(index, "refused_bytes", job.u64("refused_bytes")))
                .and(marks.of(index)),
            lane(index, job),
            sizes.anyOf("job", index, job.byDevice("context_peak_bytes"))));
  }

  private Optional<JobLane> lane(int index, RegionBytes.Row job) {
    long policy = job.u32("lane_policy");
    if (policy == 0) {
      return Optional.empty();
    }
    if (LanePolicy.of(policy).isEmpty()) {
      damage.note("job record " + index + ": lane policy " + policy + " is not known");
    }
    long record = job.u32("lane"); // + 1; 0: none
    return LanePolicy.of(policy)
        .map(
            known ->
                new JobLane(
                    use(index, job, known),
                    number(index, "length_ns", job.u64("length_ns")),
                    number(index, "persistent_bytes", job.u64("persistent_bytes")),
                    record == 0 || record > region.count("lane")
                        ? Optional.empty()
                        : Optional.of((int) record - 1)));
  }

  private LaneUse use(int index, RegionBytes.Row job, LanePolicy policy) {
    long service = number(index, "service_ns", job.u64("service_ns"));
    long credit = number(index, "credit_ns", job.u64("credit_ns"));
    return new LaneUse(
        policy,
        job.u32("share"),
        number(index, "turns", job.u64("turns")),
        number(index, "switches", job.u64("switches")),
        Math.max(0, service - credit),
        number(index, "turn_waited_ns", job.u64("turn_waited_ns")),
        number(index, "kept_bytes", job.u64("kept_bytes")));
  }

  /** What it holds now is part of what it held. */
  private JobFigures figures(int index, RegionBytes.Row job) {
    return JobFigures.of(figure -> number(index, figure.field(), job.u64(figure.field())))
        .plus(JobFigure.HELD, holdsNs(job));
  }

  private long holdsNs(RegionBytes.Row job) {
    long since = job.u64("held_since_ns");
    return since == 0 ? 0 : Math.max(0, nowNs - since);
  }

  private long number(int index, String field, long value) {
    if (value < 0) {
      damage.note("job record " + index + ": " + field + " " + Long.toUnsignedString(value));
    }
    return Math.max(0, value);
  }
}
