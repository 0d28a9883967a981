package org.schedgpu.agent.jobs;

import java.util.Optional;
import java.util.OptionalLong;
import org.schedgpu.agent.text.JsonFields;
import org.schedgpu.agent.text.Texts;

/** What the lists of jobs show of a lane job, without its name; of no job: the heading. */
final class LaneColumns {
  private LaneColumns() {}

  /** Of a present job. */
  static Object[] now(Optional<JsonFields> lane) {
    return lane.map(
            of ->
                new Object[] {
                  of.text("policy"),
                  of.optional("share").isPresent() ? of.text("share") : "-",
                  of.optional("lane").isPresent() ? of.text("lane") : "-",
                  of.number("turns"),
                  service(of),
                  Texts.duration(of.number("turnWaitedNs")),
                  kept(of),
                  turn(of)
                })
        .orElse(
            new Object[] {"POLICY", "SHARE", "LANE", "TURNS", "SERVICE", "WAITED", "KEPT", "TURN"});
  }

  /** Of a job of the history. */
  static Object[] then(Optional<JsonFields> lane) {
    return lane.map(
            of ->
                new Object[] {
                  of.text("policy"),
                  of.optional("share").isPresent() ? of.text("share") : "-",
                  of.number("turns"),
                  of.number("switches"),
                  service(of),
                  Texts.duration(of.number("turnWaitedNs")),
                  kept(of)
                })
        .orElse(new Object[] {"POLICY", "SHARE", "TURNS", "SWITCHES", "SERVICE", "WAITED", "KEPT"});
  }

  private static String service(JsonFields lane) {
    OptionalLong ns = lane.optional("serviceNs");
    return ns.isPresent() ? Texts.duration(ns.getAsLong()) : "-";
  }

  private static String kept(JsonFields lane) {
    long bytes = lane.number("keptBytes");
    return bytes == 0 ? "-" : Texts.gib(bytes);
  }

  private static String turn(JsonFields lane) {
    String time = Texts.duration(lane.number("turnNs"));
    return switch (lane.text("turn")) {
      case "has" -> "has it for " + time;
      case "waits" -> "waits for " + time;
      default -> "-";
    };
  }
}
