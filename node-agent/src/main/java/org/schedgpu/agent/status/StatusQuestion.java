package org.schedgpu.agent.status;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.agent.forecast.JobDurations;
import org.schedgpu.agent.forecast.QueueFuture;
import org.schedgpu.agent.forecast.WaitForecasts;
import org.schedgpu.agent.overrun.GpuUse;
import org.schedgpu.agent.overrun.UsageScan;
import org.schedgpu.agent.process.HostProcesses;
import org.schedgpu.agent.process.StoppedJobs;
import org.schedgpu.agent.query.Arguments;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.PrintedAnswer;
import org.schedgpu.agent.query.Question;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.agent.text.JsonText;
import org.schedgpu.agent.text.Style;
import org.schedgpu.agent.text.UserNames;
import org.schedgpu.jna.BrokeredRun;
import org.schedgpu.jna.RegionCopy;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;

/**
 * {@code status}: what {@code schedgpu status} prints, as it is; with {@code json} as JSON, with
 * {@code colour} for a terminal.
 */
public final class StatusQuestion implements Question {
  private static final String JSON = "json";
  private static final String COLOUR = "colour";

  private final RegionAccess access;
  private final JobDurations durations = remembered();

  /**
   * Of a region.
   *
   * @param access of the thread that answers
   */
  public StatusQuestion(RegionAccess access) {
    this.access = access;
  }

  /**
   * The arguments of the question.
   *
   * @param style of text; JSON has none
   */
  public static Map<String, Object> arguments(boolean json, Style style) {
    return Map.of(JSON, json, COLOUR, style.isOn());
  }

  @Override
  public Object answer(Map<String, Object> arguments, Principal viewer) {
    return access.ask(
        region -> answer(region, access.runDir(), arguments, viewer, durations, true));
  }

  /** One answer that is thrown away. */
  @Override
  public void prepare() {
    PrintedAnswer first = (PrintedAnswer) answer(Map.of(JSON, true), Principal.root());
    try {
      first.text().writeTo(Writer.nullWriter());
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /**
   * How long jobs run, from the ended jobs in the region alone. Neither the history nor Slurm is
   * asked, because a status must come at once, and may be requested on every node at the same time.
   */
  public static JobDurations remembered() {
    return new JobDurations(Optional.empty());
  }

  /**
   * The printed text, directly from the region, without the agent.
   *
   * @param given as {@link #arguments}
   * @param durations as {@link #remembered}
   * @param agent true if an agent listens
   */
  public static PrintedAnswer answer(
      SchedGpu region,
      Path runDir,
      Map<String, Object> given,
      Principal viewer,
      JobDurations durations,
      boolean agent) {
    BrokeredRun.refresh(runDir);
    StatusReport report;
    try (LastSnapshot picture = new LastSnapshot(region)) {
      GpuUse use =
          UsageScan.ifPossible(
              region::liveSnapshot,
              picture::take,
              nvml -> UsageScan.atProcesses(nvml).ofNode(runDir));
      report = report(picture.get(), runDir, use, viewer, durations);
    }
    Arguments arguments = new Arguments(given);
    boolean json = arguments.flag(JSON);
    Style style = new Style(arguments.flag(COLOUR));
    return new PrintedAnswer(
        report.snapshot().damage().isEmpty(),
        out -> {
          if (json) {
            JsonText.write(out, StatusJson.values(report, agent));
          } else {
            out.write(StatusText.of(report, style, agent));
          }
        });
  }

  private static StatusReport report(
      RegionCopy picture, Path runDir, GpuUse use, Principal viewer, JobDurations durations) {
    RegionSnapshot snapshot = picture.snapshot();
    Shares shares = new Shares(snapshot, StoppedJobs.of(snapshot, new HostProcesses()));
    long nowNs = RegionSnapshot.nowNs();
    return StatusReport.of(runDir, snapshot, shares, use, new UserNames(), nowNs)
        .seenBy(viewer)
        .with(
            WaitForecasts.of(
                snapshot,
                shares,
                () -> QueueFuture.of(picture),
                durations.of(snapshot, nowNs).ends(),
                viewer::maySee,
                nowNs));
  }
}
