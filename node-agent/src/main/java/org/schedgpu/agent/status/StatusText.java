package org.schedgpu.agent.status;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.schedgpu.agent.overrun.UseText;
import org.schedgpu.agent.region.Share;
import org.schedgpu.agent.status.StatusReport.DeviceStatus;
import org.schedgpu.agent.status.StatusReport.JobStatus;
import org.schedgpu.agent.status.StatusReport.WaiterStatus;
import org.schedgpu.agent.text.Style;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.Policy;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;

/** A status as text: at most 80 columns, sizes in GiB. */
final class StatusText {
  private static final int BAR_WIDTH = 40;
  private static final String JOB_FORMAT = "%-16s %-8s %4s %-8s %3s %6s %8s %6s %7s %5s";
  private static final String WAITER_FORMAT = "%3s %5s %-16s %-7s %6s %7s %s";
  private static final int JOB_WIDTH = 16;
  private static final int USER_WIDTH = 8;
  private static final int NAME_WIDTH = 36;
  private static final int WIDTH = 80;
  private static final String WHY_INDENT = "          ";

  private final StatusReport report;
  private final Style style;
  private final StringBuilder text = new StringBuilder();

  private StatusText(StatusReport report, Style style) {
    this.report = report;
    this.style = style;
  }

  static String of(StatusReport report, Style style) {
    return of(report, style, true);
  }

  /**
   * As text.
   *
   * @param agent true if an agent listens
   */
  static String of(StatusReport report, Style style, boolean agent) {
    StatusText text = new StatusText(report, style);
    text.build();
    if (!agent) {
      text.withoutAgent();
    }
    return text.text.toString();
  }

  private void build() {
    line(
        "%s: policy %s, %s, %d waiting",
        report.runDir(),
        report.snapshot().policy().map(Policy::text).orElse("damaged"),
        Texts.count(report.snapshot().jobs().size(), "job", "jobs"),
        report.waiting());
    report.devices().forEach(this::device);
    if (!report.jobs().isEmpty()) {
      heading(
          JOB_FORMAT,
          "JOB",
          "USER",
          "PRIO",
          "MODE",
          "DEV",
          "BUDGET",
          "RESERVED",
          "IN USE",
          "CONTEXT",
          "PROCS");
      report.jobs().forEach(this::job);
    }
    if (!report.waiters().isEmpty()) {
      heading(WAITER_FORMAT, "DEV", "PLACE", "WAITING JOB", "FOR", "GiB", "SINCE", "SERVED");
      report.waiters().forEach(this::waiter);
    }
    lanes();
    hidden();
    damage();
  }

  private void line(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values).stripTrailing()).append('\n');
  }

  private void heading(String format, Object... names) {
    String heading = String.format(Locale.ROOT, format, names).stripTrailing();
    text.append('\n').append(style.bold(heading)).append('\n');
  }

  private void device(DeviceStatus status) {
    Device device = status.device();
    String name = device.name() + (device.emulated() ? " (emulated)" : "");
    text.append('\n');
    line(
        "%s %-" + NAME_WIDTH + "s %s",
        style.bold(String.format(Locale.ROOT, "%2d", device.index())),
        Texts.cut(name, NAME_WIDTH),
        Texts.cut(device.uuid(), 40));
    line(
        "   [%s] %5s of %s GiB, %s GiB free",
        bar(device), Texts.gib(device.usedBytes()), Texts.gib(device.usableBytes()), free(device));
    unreserved(UseText.of(device, report.use().of(device.index())));
  }

  private static String bar(Device device) {
    double share = device.usableBytes() == 0 ? 1 : (double) used(device) / device.usableBytes();
    int full = (int) Math.round(share * BAR_WIDTH);
    return "#".repeat(full) + ".".repeat(BAR_WIDTH - full);
  }

  private static long used(Device device) {
    return Math.min(device.usedBytes(), device.usableBytes());
  }

  private static String free(Device device) {
    return Texts.gib(device.usableBytes() - used(device));
  }

  private void job(JobStatus status) {
    String[] first = {
      Texts.cut(status.job().reference(), JOB_WIDTH),
      Texts.cut(status.user(), USER_WIDTH),
      Integer.toString(status.job().priority()),
      state(status),
      Integer.toString(status.clients().size())
    };
    status
        .shares()
        .forEach(
            (device, share) -> {
              share(first, device, share);
              unreserved(UseText.of(status.job(), device, report.use().of(status.job(), device)));
              java.util.Arrays.fill(first, "");
            });
  }

  private static String state(JobStatus status) {
    Job job = status.job();
    if (job.dead()) {
      return "dead";
    }
    return job.ending() ? "ending" : status.stopped() ? "stopped" : job.mode().text();
  }

  private void share(String[] first, int device, Share share) {
    line(
        JOB_FORMAT,
        first[0],
        first[1],
        first[2],
        first[3],
        device,
        share.budgetBytes() == 0 ? "-" : Texts.gib(share.budgetBytes()),
        Texts.gib(share.reservedBytes()),
        Texts.gib(share.inUseBytes()),
        Texts.gib(share.contextBytes()),
        first[4]);
  }

  private void unreserved(Optional<String> what) {
    what.ifPresent(words -> line("%s", style.red(words)));
  }

  private void waiter(WaiterStatus status) {
    line(
        WAITER_FORMAT,
        status.waiter().device(),
        status.waiter().granted() ? "-" : status.waiter().place(),
        Texts.cut(status.job().reference(), JOB_WIDTH),
        status.subject(),
        Texts.gib(status.bytes()),
        Texts.duration(status.waitedNs()),
        status.waiter().granted() ? "granted" : status.estimate().shortText());
    if (!status.waiter().granted()) {
      Texts.wrap(status.estimate().after(status.why()), WIDTH - WHY_INDENT.length())
          .forEach(why -> line("%s%s", WHY_INDENT, why));
    }
  }

  /** Nothing on a node without lane jobs. */
  private void lanes() {
    if (!report.lanes().isEmpty()) {
      table(LaneText.lanes(report.lanes()));
    }
    if (report.jobs().stream().anyMatch(job -> job.lane().isPresent())) {
      table(LaneText.jobs(report.jobs()));
    }
    report.lanes().stream().flatMap(lane -> lane.kept().stream()).forEach(this::keptTurn);
  }

  private void keptTurn(String why) {
    String advice = ": declare what it keeps with --schedgpu-persistent, or let it free more.";
    text.append('\n');
    Texts.wrap(why + advice, WIDTH).forEach(one -> line("%s", one));
  }

  /** Many nodes have no agent; what lane jobs keep is the one thing that they cannot do without. */
  private void withoutAgent() {
    if (!report.lanes().isEmpty()) {
      text.append('\n');
      line("No agent answers: what lane jobs keep is not measured, and nothing is recorded.");
    }
  }

  private void table(List<String> lines) {
    text.append('\n').append(style.bold(lines.get(0))).append('\n');
    lines.subList(1, lines.size()).forEach(line -> text.append(line).append('\n'));
  }

  private void hidden() {
    int jobs = report.hidden().jobs();
    if (jobs > 0) {
      text.append('\n');
      line(
          "Not shown: %s of other users%s (PrivateData=jobs).",
          Texts.count(jobs, "job", "jobs"),
          report.hidden().waiters() == 0 ? "" : ", " + report.hidden().waiters() + " waiting");
    }
  }

  private void damage() {
    if (report.snapshot().damage().isEmpty()) {
      return;
    }
    text.append('\n');
    report.snapshot().damage().forEach(what -> line("%s", style.red("damaged: " + what)));
    line("%s", "The region contains impossible numbers: run schedgpu doctor.");
  }
}
