package org.schedgpu.agent.command;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.overrun.GpuUse;
import org.schedgpu.agent.overrun.OverrunCharger;
import org.schedgpu.agent.overrun.RegionCharges;
import org.schedgpu.agent.overrun.UsageScan;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.Nvml;
import org.schedgpu.jna.Nvml.NvmlException;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;
import org.schedgpu.jna.Units;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code schedgpu watch}: charges memory that nobody reserved. */
@Command(
    name = "watch",
    description = {
      "Charges device memory that is in use but not reserved.",
      "It finds such memory with NVML, and charges it to the job that uses it, or to",
      "the device: then no job can get it. Prints a line for each change."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Done (--once).",
      "1:NVML is missing, or the region cannot be written.",
      "2:Wrong usage.",
      "3:There is no region on this node (--once)."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  schedgpu watch --every 10s", "  schedgpu watch --once"})
public final class WatchCommand extends NodeCommand {
  private static final long LEAST_NS = TimeUnit.MILLISECONDS.toNanos(100);

  @Option(
      names = "--every",
      paramLabel = "TIME",
      defaultValue = "5s",
      description = "How often it looks, at least 100ms. Default: ${DEFAULT-VALUE}.")
  private String every;

  @Option(names = "--once", description = "Looks once and ends: for cron, or a prolog.")
  private boolean once;

  private String lastProblem = "";

  @Override
  public Integer call() throws InterruptedException {
    long everyNs = everyNs();
    try (Nvml nvml = open()) {
      UsageScan scan = UsageScan.atProcesses(nvml).ofNode(runDir());
      if (once) {
        charge(scan);
        return ExitCode.OK;
      }
      while (true) {
        chargeOrSayWhyNot(scan);
        TimeUnit.NANOSECONDS.sleep(everyNs);
      }
    }
  }

  private long everyNs() {
    OptionalLong ns = Units.timeNs(every);
    if (ns.isEmpty() || ns.getAsLong() < LEAST_NS) {
      throw new ParameterException(
          spec().commandLine(), "--every " + every + " is no time of at least 100ms: write 5s");
    }
    return ns.getAsLong();
  }

  private static Nvml open() {
    Nvml.Attempt attempt = Nvml.open();
    return attempt.nvml().orElseThrow(() -> new AgentException(attempt.reason()));
  }

  /** Opens the region each time, because it may be replaced and must not stay in use. */
  private void charge(UsageScan scan) {
    try (SchedGpu region = openRegion()) {
      GpuUse use = scan.at(region::liveSnapshot);
      OverrunCharger.charge(new RegionCharges(region), region.liveSnapshot(), use)
          .forEach(out()::println);
    }
  }

  /** Prints a problem once and continues: the problem may pass, and charges stay as they are. */
  private void chargeOrSayWhyNot(UsageScan scan) {
    String problem = "";
    try {
      charge(scan);
    } catch (SchedGpuException | NvmlException told) {
      problem = told.getMessage();
    }
    if (!problem.equals(lastProblem) && !problem.isEmpty()) {
      err().println("schedgpu: " + problem);
    }
    lastProblem = problem;
  }
}
