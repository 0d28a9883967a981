package org.schedgpu.agent.run;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.schedgpu.agent.jobs.JobsQuestion;
import org.schedgpu.agent.suggest.DeviceSizes;
import org.schedgpu.agent.suggest.EndHint;
import org.schedgpu.agent.text.JsonFields;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Refusals;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;

/** What a job of {@code schedgpu run} used of each of its devices; of one not there, nothing. */
final class RunUse {
  private RunUse() {}

  /** By a picture of the region. */
  static List<EndHint.Use> of(RegionSnapshot now, JobSpec begun) {
    DeviceSizes sizes = DeviceSizes.of(now);
    return now.jobs().stream()
        .filter(job -> job.kind() == begun.kind() && job.id() == begun.jobId())
        .flatMap(job -> devices(job).stream().map(device -> use(job, device, sizes)))
        .toList();
  }

  private static Set<Integer> devices(Job job) {
    Set<Integer> devices = new TreeSet<>(job.budgetBytes().keySet());
    devices.addAll(job.peakBytes().keySet());
    return devices;
  }

  private static EndHint.Use use(Job job, int device, DeviceSizes sizes) {
    return new EndHint.Use(
        device,
        job.budgetBytes().getOrDefault(device, 0L),
        job.peakBytes().getOrDefault(device, 0L) - sizes.context(device),
        job.waitedNs(),
        job.refusals(),
        sizes.largestBudget(device));
  }

  /** By the agent's answer to {@code jobs} ({@link JobsQuestion}). */
  static List<EndHint.Use> of(Map<String, Object> answer, JobSpec begun, List<Device> devices) {
    DeviceSizes sizes = DeviceSizes.of(devices);
    return new JsonFields(answer)
        .list("jobs").stream()
            .filter(job -> job.text("job").equals(begun.reference()))
            .flatMap(job -> job.list("devices").stream().map(device -> use(job, device, sizes)))
            .toList();
  }

  private static EndHint.Use use(JsonFields job, JsonFields share, DeviceSizes sizes) {
    int device = (int) share.number("device");
    return new EndHint.Use(
        device,
        share.number("requestedBytes"),
        share.number("peakBytes") - sizes.context(device),
        job.number("waitedNs"),
        new Refusals(job.number("refusals"), job.number("largestRefusedBytes")),
        sizes.largestBudget(device));
  }
}
