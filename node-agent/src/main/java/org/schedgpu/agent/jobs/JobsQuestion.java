package org.schedgpu.agent.jobs;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.schedgpu.agent.history.Clock;
import org.schedgpu.agent.overrun.UnscheduledFiles;
import org.schedgpu.agent.overrun.UnscheduledProgram;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.Question;
import org.schedgpu.agent.region.Lanes;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.region.Share;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.agent.text.UserNames;
import org.schedgpu.agent.wait.ExtendedLimits;
import org.schedgpu.jna.JobFigure;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Waiter;
import org.schedgpu.jna.SchedGpu;

/** {@code jobs}: the present jobs that the principal may see, and the number of others. */
public final class JobsQuestion implements Question {
  private final RegionAccess access;

  /**
   * Of a region.
   *
   * @param access of the thread that answers
   */
  public JobsQuestion(RegionAccess access) {
    this.access = access;
  }

  @Override
  public Object answer(Map<String, Object> arguments, Principal viewer) {
    return access.ask(region -> answer(region, viewer, access.runDir()));
  }

  /**
   * What the agent wrote down beside the region.
   *
   * @param extendedNs by how much CompensateWait extended time limits, by the number of the job
   * @param unscheduled programs of jobs that ran unscheduled, by the job's reference
   */
  record Written(Map<Long, Long> extendedNs, Map<String, List<UnscheduledProgram>> unscheduled) {
    static final Written NOTHING = new Written(Map.of(), Map.of());

    Map<String, Object> with(Map<String, Object> json, Job job) {
      Long extended = job.kind() == JobKind.SLURM ? extendedNs.get(job.id()) : null;
      if (extended != null) {
        json.put("limitExtendedNs", extended);
      }
      List<UnscheduledProgram> programs = unscheduled.getOrDefault(job.reference(), List.of());
      if (!programs.isEmpty()) {
        json.put("unscheduled", programs.stream().map(UnscheduledProgram::json).toList());
      }
      return json;
    }
  }

  /** The same answer directly from the region, without the agent. */
  public static Map<String, Object> answer(SchedGpu region, Principal viewer, Path runDir) {
    Written written = new Written(ExtendedLimits.of(runDir), UnscheduledFiles.byJob(runDir));
    return answer(region.snapshot(), viewer, new UserNames(), Clock.now(), written);
  }

  static Map<String, Object> answer(
      RegionSnapshot snapshot,
      Principal viewer,
      IntFunction<String> users,
      Clock clock,
      Written written) {
    Shares shares = new Shares(snapshot);
    Lanes lanes = new Lanes(snapshot, clock.monotonicNs());
    List<Map<String, Object>> jobs =
        snapshot.jobs().stream()
            .filter(job -> viewer.maySee(job.uid()))
            .sorted(Comparator.comparing(Job::kind).thenComparingLong(Job::id))
            .map(job -> written.with(job(shares, lanes, job, users, clock), job))
            .toList();
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("jobs", jobs);
    answer.put("hiddenJobs", snapshot.jobs().size() - jobs.size());
    answer.put("damage", snapshot.damage());
    return answer;
  }

  private static Map<String, Object> job(
      Shares shares, Lanes lanes, Job job, IntFunction<String> users, Clock clock) {
    List<Waiter> waits = shares.waiters(job).stream().filter(waiter -> !waiter.granted()).toList();
    long waitsNs =
        waits.stream().mapToLong(waiter -> clock.monotonicNs() - waiter.sinceNs()).max().orElse(0);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("job", job.reference());
    json.put("kind", job.kind().text());
    json.put("id", job.id());
    json.put("name", job.name());
    json.put("uid", Integer.toUnsignedLong(job.uid()));
    json.put("user", users.apply(job.uid()));
    json.put("priority", job.priority());
    json.put("mode", job.mode().text());
    json.put("state", state(job, !waits.isEmpty()));
    lanes.of(job).ifPresent(lane -> json.put("lane", lane.json()));
    json.put("begunNs", clock.timeOfDayNs(job.begunNs()));
    job.figures()
        .plus(JobFigure.WAITED, Math.max(0, waitsNs))
        .plus(JobFigure.WAITS, waits.size())
        .put(json);
    json.put("refusals", job.refusals().count());
    json.put("largestRefusedBytes", job.refusals().largestBytes());
    json.put("devices", devices(job).stream().map(d -> device(shares, job, d)).toList());
    return json;
  }

  private static String state(Job job, boolean waits) {
    if (job.dead()) {
      return "dead";
    }
    return job.ending() ? "ending" : waits ? "waiting" : "running";
  }

  private static Set<Integer> devices(Job job) {
    Set<Integer> devices = new TreeSet<>(job.budgetBytes().keySet());
    devices.addAll(job.peakBytes().keySet());
    return devices;
  }

  private static Map<String, Object> device(Shares shares, Job job, int device) {
    Share share = shares.of(job, device);
    long inUse = share.inUseBytes();
    long contexts = shares.contextBytes(job, device);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("device", device);
    json.put("requestedBytes", share.budgetBytes());
    json.put("reservedBytes", share.heldBytes());
    json.put("inUseBytes", inUse);
    json.put("peakBytes", Math.max(inUse, job.peakBytes().getOrDefault(device, 0L)));
    json.put("contextBytes", contexts);
    json.put(
        "contextPeakBytes", Math.max(contexts, job.contextPeakBytes().getOrDefault(device, 0L)));
    return json;
  }
}
