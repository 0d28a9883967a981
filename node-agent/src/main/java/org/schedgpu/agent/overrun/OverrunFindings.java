package org.schedgpu.agent.overrun;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.schedgpu.agent.overrun.GpuUse.DeviceUse;
import org.schedgpu.agent.overrun.GpuUse.JobUse;
import org.schedgpu.agent.problem.Finding;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.Mode;

/** The doctor's findings about unreserved memory. */
public final class OverrunFindings {
  private static final String OVERRUN = "overrun";
  private static final String UNSCHEDULED = "unscheduled";
  private static final String FOREIGN = "foreign";
  private static final int NAMES_WIDTH = 60;

  private OverrunFindings() {}

  /**
   * One finding for each job with unreserved memory, and for each unscheduled program of another
   * job; a single good one if there is none, or nothing is known.
   *
   * @param folders of processes in /proc, by pid
   */
  public static List<Finding> of(GpuUse use, IntFunction<Path> folders) {
    List<Finding> findings = new ArrayList<>();
    for (JobUse job : use.jobs()) {
      if (job.overruns()) {
        findings.addAll(job(job, folders));
      } else {
        job.unscheduled().forEach(user -> findings.add(unscheduled(job, user, folders)));
      }
    }
    for (DeviceUse device : use.devices()) {
      device(device, findings);
    }
    if (findings.isEmpty()) {
      findings.add(
          Finding.ok(
              OVERRUN,
              use.devices().isEmpty()
                  ? "unknown whether there is unreserved memory: no NVML"
                  : "there is no unreserved memory, and no program runs unscheduled"));
    }
    return findings;
  }

  private static List<Finding> job(JobUse use, IntFunction<Path> folders) {
    String what =
        "%s uses %s of device %d that it did not reserve"
            .formatted(
                use.job().reference(), Texts.size(use.overrunBytes().orElse(0)), use.device());
    if (use.job().mode() == Mode.GATE) {
      return List.of(
          Finding.problem(
              OVERRUN,
              what + ": more than its budget, which mode gate does not enforce",
              "declare what it needs: --schedgpu-mem"));
    }
    return use.suspects().stream()
        .map(
            user -> {
              UncaughtProgram why = UncaughtProgram.of(use.job().uid(), folders.apply(user.pid()));
              return Finding.problem(
                  OVERRUN, what + "; " + user.text() + ": " + why.reason(), why.todo());
            })
        .toList();
  }

  private static Finding unscheduled(JobUse use, GpuUser user, IntFunction<Path> folders) {
    UncaughtProgram why = UncaughtProgram.of(use.job().uid(), folders.apply(user.pid()));
    return Finding.problem(
        UNSCHEDULED,
        "%s of %s uses %s of device %d and is not attached to the region: %s"
            .formatted(
                user.text(), use.job().reference(), user.amount(), use.device(), why.silent()),
        why.todo());
  }

  private static void device(DeviceUse use, List<Finding> findings) {
    if (use.foreignBytes().isEmpty()) {
      findings.add(
          Finding.ok(
              OVERRUN,
              "device %d: unknown, NVML or /proc hides what each process uses"
                  .formatted(use.device())));
    } else if (use.foreignBytes().getAsLong() > 0) {
      findings.add(
          Finding.problem(
              FOREIGN,
              "%s of device %d are in use by programs of no job: %s"
                  .formatted(
                      Texts.size(use.foreignBytes().getAsLong()),
                      use.device(),
                      UseText.names(use.foreign(), NAMES_WIDTH)),
              "run them as jobs, or end them; schedgpu watch keeps the memory from others"));
    }
    if (use.unexplainedBytes().orElse(0) > 0) {
      findings.add(
          Finding.problem(
              FOREIGN,
              "%s of device %d are in use by no process that NVML names"
                  .formatted(Texts.size(use.unexplainedBytes().getAsLong()), use.device()),
              "see fuser -v /dev/nvidia%d; if the driver keeps it, raise ReservedBytes"
                  .formatted(use.device())));
    }
  }
}
