package org.schedgpu.model;

import java.util.Optional;

/** Begins or changes a job. */
final class JobBegin {
  private static final int MAX_JOBS = 512;
  private static final int MAX_DEVICES = 16;
  private static final int MAX_SHARE = 1000;

  private final Node node;
  private final JobSpec spec;

  JobBegin(Node node, JobSpec spec) {
    this.node = node;
    this.spec = spec;
  }

  /** OK, or the reason why the job cannot begin. */
  Answer check() {
    if (spec.deviceMask() == 0 || spec.priority() < 0 || spec.priority() > 100) {
      return Answer.EINVAL;
    }
    if (spec.overflowWaits() && spec.mode() != Mode.PEAK) {
      return Answer.EINVAL;
    }
    if (!spec.lane().map(this::isPossible).orElse(true)) {
      return Answer.EINVAL;
    }
    for (int d = 0; d < MAX_DEVICES; d++) {
      if ((spec.deviceMask() >> d & 1) == 1) {
        Answer answer = checkDevice(d);
        if (answer != Answer.OK) {
          return answer;
        }
      }
    }
    return Answer.OK;
  }

  /** A lane job has one device, a budget that does not grow, and keeps a part of it. */
  private boolean isPossible(LaneSpec lane) {
    boolean one = Integer.bitCount(spec.deviceMask()) == 1;
    return one
        && spec.mode() == Mode.PEAK
        && !spec.overflowWaits()
        && lane.share() >= 1
        && lane.share() <= MAX_SHARE
        && lane.lengthNs() >= 0
        && lane.persistentBytes()
            <= spec.budgetBytes().get(Integer.numberOfTrailingZeros(spec.deviceMask()));
  }

  private Answer checkDevice(int index) {
    if (index >= node.devices.size()) {
      return Answer.EDEVICE;
    }
    Job job = new Job(spec, Optional.empty());
    Device device = node.devices.get(index);
    long budget = job.budget(index);
    if (job.reservesBudget() && budget == 0) {
      return Answer.EINVAL;
    }
    boolean fits = job.admissionContexts(device) + budget <= device.usableBytes();
    return budget == 0 || fits ? Answer.OK : Answer.ETOOBIG;
  }

  /** The job with this id, of any user. */
  Optional<Job> present() {
    return node.jobs.stream().filter(job -> job.id() == spec.id()).findFirst();
  }

  /** The job exists and has the same user: its numbers are replaced, if they may change. */
  Answer change(Job job) {
    if (!sameBut(job) && (node.hasProcesses(job) || job.holds)) {
      return Answer.EINVAL;
    }
    job.sharesLane &= sameBut(job);
    job.spec = spec;
    return Answer.OK;
  }

  private boolean sameBut(Job job) {
    boolean sameBudgets =
        node.allDevices().stream()
            .allMatch(d -> job.budget(d) == new Job(spec, Optional.empty()).budget(d));
    return sameBudgets
        && job.spec.mode() == spec.mode()
        && lane(job.spec).equals(lane(spec))
        && job.spec.overflowWaits() == spec.overflowWaits()
        && job.spec.deviceMask() == spec.deviceMask()
        && job.spec.processes() == spec.processes();
  }

  /** The parts of it that may not change. */
  private static Optional<LaneSpec> lane(JobSpec of) {
    return of.lane().map(l -> new LaneSpec(l.policy(), Units.roundUp(l.persistentBytes()), 1, 0));
  }

  Answer add(Optional<Client> owner) {
    if (node.jobs.size() >= MAX_JOBS) {
      return Answer.EFULL;
    }
    node.jobs.add(new Job(spec, owner));
    return Answer.OK;
  }
}
