package org.schedgpu.agent.status;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.schedgpu.agent.region.Lanes.LaneStatus;
import org.schedgpu.agent.region.Lanes.Member;
import org.schedgpu.agent.status.StatusReport.JobStatus;
import org.schedgpu.agent.text.Texts;

/** The tables of lanes and of their jobs, at most 80 columns; the first line is the heading. */
final class LaneText {
  private static final String LANE_FORMAT = "%4s %3s %-6s %6s %4s %7s %8s  %s";
  private static final String JOB_FORMAT = "%-16s %-6s %5s %4s %10s %8s %6s  %s";
  private static final int JOB_WIDTH = 16;

  private LaneText() {}

  static List<String> lanes(List<LaneStatus> lanes) {
    List<String> lines = new ArrayList<>();
    lines.add(
        line(
            LANE_FORMAT, "LANE", "DEV", "POLICY", "GiB", "JOBS", "WAITING", "SWITCHES", "TURN OF"));
    for (LaneStatus status : lanes) {
      lines.add(
          line(
              LANE_FORMAT,
              status.lane().record(),
              status.lane().device(),
              status.lane().policy().text(),
              Texts.gib(status.lane().bytes()),
              status.lane().members(),
              status.lane().waiting(),
              status.lane().switches(),
              turn(status)));
    }
    return lines;
  }

  private static String turn(LaneStatus status) {
    return status
        .turnOf()
        .map(
            job ->
                Texts.cut(job, JOB_WIDTH)
                    + " for "
                    + Texts.duration(status.turnNs())
                    + (status.lane().busy() ? "" : ", idle"))
        .orElse("nobody");
  }

  /** The lane jobs of these jobs. */
  static List<String> jobs(List<JobStatus> jobs) {
    List<String> lines = new ArrayList<>();
    lines.add(
        line(
            JOB_FORMAT,
            "LANE JOB",
            "POLICY",
            "SHARE",
            "LANE",
            "PERSISTENT",
            "SERVICE",
            "TURNS",
            "TURN"));
    for (JobStatus job : jobs) {
      job.lane()
          .ifPresent(
              member ->
                  lines.add(
                      line(
                          JOB_FORMAT,
                          Texts.cut(job.job().reference(), JOB_WIDTH),
                          member.lane().policy().text(),
                          member.use().share(),
                          member.lane().record().map(Object::toString).orElse("-"),
                          Texts.gib(member.lane().persistentBytes()),
                          Texts.duration(member.use().serviceNs().orElse(0)),
                          member.use().turns(),
                          turn(member))));
    }
    return lines;
  }

  private static String turn(Member member) {
    return switch (member.turn()) {
      case HAS -> "has it for " + Texts.duration(member.turnNs());
      case WAITS -> "waits for " + Texts.duration(member.turnNs());
      case NONE -> "-";
    };
  }

  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values).stripTrailing();
  }
}
