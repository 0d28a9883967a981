package org.schedgpu.agent.top;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.schedgpu.agent.text.JsonText;
import org.schedgpu.agent.top.TopReport.DeviceRow;
import org.schedgpu.agent.top.TopReport.JobRow;
import org.schedgpu.agent.top.TopReport.LaneRow;
import org.schedgpu.agent.top.TopReport.WaiterRow;

/** A report as JSON: exact bytes and nanoseconds. The keys are those of the man page. */
public final class TopJson {
  private TopJson() {}

  /** One document, with a line feed at its end. */
  public static String of(TopReport report) {
    return JsonText.of(values(report));
  }

  /** The document, before it becomes text. */
  public static Map<String, Object> values(TopReport report) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("node", report.node());
    json.put("policy", report.policy().isEmpty() ? null : report.policy());
    json.put("problem", report.problem().isEmpty() ? null : report.problem());
    json.put("devices", report.devices().stream().map(TopJson::device).toList());
    json.put("jobs", report.jobs().stream().map(TopJson::job).toList());
    json.put("waiters", report.waiters().stream().map(TopJson::waiter).toList());
    if (!report.lanes().isEmpty()) {
      json.put("lanes", report.lanes().stream().map(TopJson::lane).toList());
    }
    Map<String, Object> others = new LinkedHashMap<>();
    others.put("jobs", report.others().jobs());
    others.put("heldBytes", report.others().heldBytes());
    others.put("waiting", report.others().waiting());
    json.put("others", others);
    return json;
  }

  /**
   * Rebuilds a report from an agent's answer.
   *
   * @param clock the shown time of day
   */
  public static TopReport report(Map<String, Object> document, String clock) {
    return new TopReader(document).report(clock);
  }

  private static Map<String, Object> device(DeviceRow row) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("index", row.index());
    json.put("uuid", row.uuid());
    json.put("name", row.name());
    json.put("emulated", row.emulated());
    json.put("usableBytes", row.usableBytes());
    json.put("inUseBytes", row.inUseBytes());
    json.put("idleBytes", row.idleBytes());
    json.put("otherBytes", row.otherBytes());
    json.put("freeBytes", row.freeBytes());
    json.put("nvmlUsedBytes", orNull(row.nvmlUsedBytes()));
    json.put(
        "utilisationPercent",
        row.utilisationPercent().isEmpty() ? null : row.utilisationPercent().getAsInt());
    json.put("jobs", row.jobs());
    json.put("waiting", row.waiting());
    return json;
  }

  /** The common first fields of jobs and waiters. */
  private static Map<String, Object> whose(
      String job, int uid, String user, String name, int priority) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("job", job);
    json.put("uid", Integer.toUnsignedLong(uid));
    json.put("user", user);
    json.put("name", name);
    json.put("priority", priority);
    return json;
  }

  private static Map<String, Object> job(JobRow row) {
    Map<String, Object> json = whose(row.job(), row.uid(), row.user(), row.name(), row.priority());
    json.put("mode", row.mode());
    json.put("state", row.state());
    json.put("devices", List.copyOf(row.devices()));
    json.put("heldBytes", row.heldBytes());
    json.put("inUseBytes", row.inUseBytes());
    json.put("peakBytes", orNull(row.peakBytes()));
    json.put("runningNs", row.runningNs());
    row.share().ifPresent(share -> json.put("share", share));
    if (!row.unscheduled().isEmpty()) {
      json.put("unscheduled", row.unscheduled());
    }
    return json;
  }

  private static Map<String, Object> lane(LaneRow row) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("lane", row.lane());
    json.put("device", row.device());
    json.put("policy", row.policy());
    json.put("bytes", row.bytes());
    json.put("jobs", row.jobs());
    json.put("waiting", row.waiting());
    json.put("switches", row.switches());
    json.put("turnOf", row.turnOf().orElse(null));
    json.put("turnNs", row.turnOf().isPresent() ? row.turnNs() : null);
    return json;
  }

  private static Map<String, Object> waiter(WaiterRow row) {
    Map<String, Object> json = whose(row.job(), row.uid(), row.user(), row.name(), row.priority());
    json.put("device", row.device());
    json.put("devices", List.copyOf(row.devices()));
    json.put("for", row.subject());
    json.put("place", row.place());
    json.put("bytes", row.asksBytes());
    json.put("waitedNs", row.waitedNs());
    json.put("why", row.why());
    json.putAll(row.estimate().json());
    return json;
  }

  private static Object orNull(OptionalLong number) {
    return number.isEmpty() ? null : number.getAsLong();
  }
}
