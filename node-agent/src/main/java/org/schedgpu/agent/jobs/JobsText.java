package org.schedgpu.agent.jobs;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.schedgpu.agent.history.Unscheduled;
import org.schedgpu.agent.text.JsonFields;
import org.schedgpu.agent.text.Style;
import org.schedgpu.agent.text.Texts;

/** Lists of jobs as text: at most 80 columns, sizes in GiB. */
public final class JobsText {
  private static final String NOW_FORMAT = "%-13s %-8s %-9s %3s %7s %6s %6s %6s %6s %s";
  private static final String THEN_FORMAT = "%-11s %-13s %-8s %-9s %3s %7s %6s %6s %6s";
  private static final String LANE_NOW_FORMAT = "%-13s %-6s %5s %4s %6s %7s %7s %5s  %s";
  private static final String LANE_THEN_FORMAT = "%-13s %-6s %5s %6s %8s %7s %7s %5s";
  private static final int JOB_WIDTH = 13;
  private static final int USER_WIDTH = 8;
  private static final int NAME_WIDTH = 9;
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("MM-dd HH:mm");

  private final Style style;
  private final StringBuilder text = new StringBuilder();

  private JobsText(Style style) {
    this.style = style;
  }

  /** The present jobs. */
  public static String now(JsonFields answer, Style style) {
    return new JobsText(style).now(answer);
  }

  /**
   * Jobs of the history.
   *
   * @param zone time zone of the shown times
   */
  public static String then(List<JsonFields> jobs, Style style, ZoneId zone) {
    return new JobsText(style).then(jobs, zone);
  }

  private String now(JsonFields answer) {
    List<JsonFields> jobs = answer.list("jobs");
    if (!jobs.isEmpty()) {
      heading(
          NOW_FORMAT,
          "JOB",
          "USER",
          "NAME",
          "DEV",
          "REQUEST",
          "IN USE",
          "PEAK",
          "WAITED",
          "HELD",
          "STATE");
    }
    for (JsonFields job : jobs) {
      boolean first = true;
      for (JsonFields device : devices(job)) {
        line(
            NOW_FORMAT,
            first ? Texts.cut(job.text("job"), JOB_WIDTH) : "",
            first ? Texts.cut(job.text("user"), USER_WIDTH) : "",
            first ? Texts.cut(job.text("name"), NAME_WIDTH) : "",
            device.text("device"),
            size(device, "requestedBytes"),
            gib(device, "inUseBytes"),
            gib(device, "peakBytes"),
            first ? Texts.duration(job.number("waitedNs")) : "",
            first ? Texts.duration(job.number("heldNs")) : "",
            first ? job.text("state") : "");
        first = false;
      }
    }
    lanes(jobs, LANE_NOW_FORMAT, LaneColumns::now);
    refusals(jobs);
    extensions(jobs);
    unscheduled(jobs);
    return text.toString();
  }

  private void extensions(List<JsonFields> jobs) {
    List<JsonFields> extended =
        jobs.stream().filter(job -> job.optional("limitExtendedNs").isPresent()).toList();
    if (!extended.isEmpty()) {
      text.append('\n');
    }
    for (JsonFields job : extended) {
      text.append(
          "%s has %s more time because it waited\n"
              .formatted(job.text("job"), Texts.duration(job.number("limitExtendedNs"))));
    }
  }

  private void unscheduled(List<JsonFields> jobs) {
    for (JsonFields job : jobs) {
      for (JsonFields program : job.list("unscheduled")) {
        text.append(
            "\n%s %s unscheduled: %d %s, up to %s of device %d"
                .formatted(
                    job.text("job"),
                    program.text("running").equals("true") ? "runs" : "ran",
                    program.number("pid"),
                    program.text("name"),
                    Texts.size(program.number("mostBytes")),
                    program.number("device")));
      }
    }
    if (jobs.stream().anyMatch(job -> !job.list("unscheduled").isEmpty())) {
      text.append('\n');
    }
  }

  private String then(List<JsonFields> jobs, ZoneId zone) {
    heading(
        THEN_FORMAT, "ENDED", "JOB", "USER", "NAME", "DEV", "REQUEST", "PEAK", "WAITED", "HELD");
    for (JsonFields job : jobs) {
      boolean first = true;
      for (JsonFields device : devices(job)) {
        line(
            THEN_FORMAT,
            first ? ended(job, zone) : "",
            first ? Texts.cut(job.text("job"), JOB_WIDTH) : "",
            first ? Texts.cut(job.text("user"), USER_WIDTH) : "",
            first ? Texts.cut(job.text("name"), NAME_WIDTH) : "",
            device.text("device"),
            size(device, "requestedBytes"),
            gib(device, "peakBytes"),
            first ? Texts.duration(job.number("waitedNs")) : "",
            first ? Texts.duration(job.number("heldNs")) : "");
        first = false;
      }
    }
    lanes(jobs, LANE_THEN_FORMAT, LaneColumns::then);
    refusals(jobs);
    unscheduledThen(jobs);
    return text.toString();
  }

  /** As {@link Unscheduled} says; nothing of an agent that did not keep it. */
  private void unscheduledThen(List<JsonFields> jobs) {
    boolean first = true;
    for (JsonFields job : jobs) {
      long processes = job.optional("unscheduledProcesses").orElse(0);
      if (processes > 0) {
        text.append(first ? "\n" : "")
            .append(
                "%s ran %s unscheduled, with %s\n"
                    .formatted(
                        job.text("job"),
                        Texts.count(processes, "program", "programs"),
                        Unscheduled.amount(job.optional("largestUnscheduledBytes"))));
        first = false;
      }
    }
  }

  /** A table of the lane jobs among them, if there are any. */
  private void lanes(
      List<JsonFields> jobs, String format, Function<Optional<JsonFields>, Object[]> columns) {
    List<JsonFields> members = jobs.stream().filter(job -> job.object("lane").isPresent()).toList();
    if (members.isEmpty()) {
      return;
    }
    text.append('\n');
    heading(format, prepend("LANE JOB", columns.apply(Optional.empty())));
    for (JsonFields job : members) {
      String reference = Texts.cut(job.text("job"), JOB_WIDTH);
      line(format, prepend(reference, columns.apply(job.object("lane"))));
    }
  }

  private static Object[] prepend(Object first, Object[] rest) {
    return Stream.concat(Stream.of(first), Stream.of(rest)).toArray();
  }

  /** The footnote for jobs whose PEAK shows only what they could get. */
  private void refusals(List<JsonFields> jobs) {
    List<JsonFields> refused = jobs.stream().filter(job -> job.number("refusals") > 0).toList();
    if (!refused.isEmpty()) {
      text.append('\n');
    }
    for (JsonFields job : refused) {
      text.append(
          "%s could have used more: %s refused, up to %s\n"
              .formatted(
                  job.text("job"),
                  Texts.count(job.number("refusals"), "allocation", "allocations"),
                  Texts.size(job.number("largestRefusedBytes"))));
    }
  }

  /** A job without a device has a line, too. */
  private static List<JsonFields> devices(JsonFields job) {
    List<JsonFields> devices = job.list("devices");
    return devices.isEmpty() ? List.of(new JsonFields(java.util.Map.of("device", "-"))) : devices;
  }

  private static String ended(JsonFields job, ZoneId zone) {
    OptionalLong ended = job.optional("endedNs");
    if (ended.isEmpty() || job.text("state").equals("lost")) {
      return job.text("state");
    }
    long seconds = TimeUnit.NANOSECONDS.toSeconds(ended.getAsLong());
    return TIME.format(Instant.ofEpochSecond(seconds).atZone(zone));
  }

  private static String size(JsonFields device, String name) {
    return device.number(name) == 0 ? "-" : gib(device, name);
  }

  private static String gib(JsonFields device, String name) {
    return Texts.gib(device.number(name));
  }

  private void line(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values).stripTrailing()).append('\n');
  }

  private void heading(String format, Object... names) {
    text.append(style.bold(String.format(Locale.ROOT, format, names).stripTrailing())).append('\n');
  }
}
