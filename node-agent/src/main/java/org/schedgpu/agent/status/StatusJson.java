package org.schedgpu.agent.status;

import java.util.AbstractList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.schedgpu.agent.overrun.GpuUse;
import org.schedgpu.agent.region.Lanes.LaneStatus;
import org.schedgpu.agent.status.StatusReport.DeviceStatus;
import org.schedgpu.agent.status.StatusReport.Holder;
import org.schedgpu.agent.status.StatusReport.JobStatus;
import org.schedgpu.agent.status.StatusReport.WaiterStatus;
import org.schedgpu.agent.text.JsonText;
import org.schedgpu.jna.DeadlockRule;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Policy;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;

/** A status as JSON: exact bytes and nanoseconds. The keys are those of the man page. */
final class StatusJson {
  private StatusJson() {}

  static String of(StatusReport report) {
    return JsonText.of(values(report, true));
  }

  static Map<String, Object> values(StatusReport report, boolean agent) {
    RegionSnapshot snapshot = report.snapshot();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("runDir", report.runDir());
    json.put("agent", agent);
    json.put("version", snapshot.version());
    json.put("policy", snapshot.policy().map(Policy::text).orElse(null));
    json.put("overtakeLimit", snapshot.overtakeLimit());
    json.put("deadlockRule", snapshot.deadlockRule().map(DeadlockRule::text).orElse(null));
    json.put("graceNs", snapshot.graceNs());
    json.put("recoveries", snapshot.recoveries());
    json.put("reapedClients", snapshot.reapedClients());
    json.put("grants", snapshot.grants());
    json.put("devices", each(report.devices(), d -> device(d, report.use())));
    json.put("jobs", each(report.jobs(), j -> job(j, report.use())));
    json.put("waiters", each(report.waiters(), StatusJson::waiter));
    if (!report.lanes().isEmpty()) {
      json.put("lanes", report.lanes().stream().map(LaneStatus::json).toList());
    }
    json.put("hiddenJobs", report.hidden().jobs());
    json.put("hiddenWaiters", report.hidden().waiters());
    json.put("damage", snapshot.damage());
    return json;
  }

  /** Made one by one while they are written, because those of a full node are megabytes. */
  private static <T> List<Object> each(List<T> all, Function<T, Object> json) {
    return new AbstractList<>() {
      @Override
      public Object get(int index) {
        return json.apply(all.get(index));
      }

      @Override
      public int size() {
        return all.size();
      }
    };
  }

  private static Map<String, Object> device(DeviceStatus status, GpuUse use) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("index", status.device().index());
    json.put("uuid", status.device().uuid());
    json.put("name", status.device().name());
    json.put("emulated", status.device().emulated());
    json.put("totalBytes", status.device().totalBytes());
    json.put("reservedBytes", status.device().reservedBytes());
    json.put("contextBytes", status.device().contextBytes());
    json.put("usableBytes", status.device().usableBytes());
    json.put("usedBytes", status.device().usedBytes());
    json.putAll(UseJson.of(status.device(), use.of(status.device().index())));
    json.put("holders", status.holders());
    json.put("heldBy", status.heldBy().stream().map(StatusJson::holder).toList());
    json.put("waiting", status.waiting());
    return json;
  }

  private static Map<String, Object> holder(Holder holder) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("job", holder.job().equals(Holder.NO_JOB) ? null : holder.job());
    holder.lane().ifPresent(lane -> json.put("lane", lane));
    json.put("heldBytes", holder.bytes());
    return json;
  }

  private static Map<String, Object> job(JobStatus status, GpuUse use) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("job", status.job().reference());
    json.put("kind", status.job().kind().text());
    json.put("id", status.job().id());
    json.put("name", status.job().name());
    json.put("uid", Integer.toUnsignedLong(status.job().uid()));
    json.put("user", status.user());
    json.put("priority", status.job().priority());
    json.put("mode", status.job().mode().text());
    json.put("declaredProcesses", status.job().processes());
    json.put("ending", status.job().ending());
    json.put("dead", status.job().dead());
    json.put("stopped", status.stopped());
    json.put("waitNs", status.job().waitNs() == JobSpec.FOREVER ? null : status.job().waitNs());
    status.lane().ifPresent(lane -> json.put("lane", lane.json()));
    json.put("devices", shares(status, use));
    json.put("processes", status.clients().stream().map(StatusJson::client).toList());
    return json;
  }

  private static List<Map<String, Object>> shares(JobStatus status, GpuUse use) {
    return status.shares().entrySet().stream()
        .map(
            entry -> {
              Map<String, Object> json = new LinkedHashMap<>();
              json.put("device", entry.getKey());
              json.put("budgetBytes", entry.getValue().budgetBytes());
              json.put("reservedBytes", entry.getValue().reservedBytes());
              json.put("inUseBytes", entry.getValue().inUseBytes());
              json.put("contextBytes", entry.getValue().contextBytes());
              int device = entry.getKey();
              json.putAll(UseJson.of(status.job(), device, use.of(status.job(), device)));
              return json;
            })
        .toList();
  }

  private static Map<String, Object> client(Client client) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("pid", client.pid());
    json.put("pidNamespace", client.pidNamespace());
    return json;
  }

  private static Map<String, Object> waiter(WaiterStatus status) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("device", status.waiter().device());
    json.put("devices", status.waiter().devices());
    json.put("place", status.waiter().granted() ? null : status.waiter().place());
    json.put("granted", status.waiter().granted());
    json.put("job", status.job().reference());
    json.put("pid", status.pid());
    json.put("for", status.subject());
    json.put("bytes", status.bytes());
    json.put("waitedNs", status.waitedNs());
    json.put("deadlineNs", status.waiter().deadlineNs().orElse(null));
    json.put("priority", status.waiter().priority());
    json.put("overtaken", status.waiter().overtaken());
    json.put("why", status.why());
    json.putAll(status.estimate().json());
    if (status.waiter().granted()) {
      json.put("estimate", null);
    }
    return json;
  }
}
