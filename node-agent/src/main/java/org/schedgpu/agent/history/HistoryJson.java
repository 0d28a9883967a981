package org.schedgpu.agent.history;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.schedgpu.agent.region.Lanes;

/** The history for programs: exact bytes and nanoseconds. The keys are those of the man page. */
final class HistoryJson {
  private HistoryJson() {}

  static Map<String, Object> of(JobRecord job) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("job", job.reference());
    json.put("kind", job.kind());
    json.put("id", job.id());
    json.put("name", job.name());
    json.put("uid", Integer.toUnsignedLong(job.uid()));
    json.put("user", job.user());
    json.put("priority", job.priority());
    json.put("mode", job.mode());
    json.put("state", job.state().text());
    json.put("begunNs", job.begunNs());
    json.put("endedNs", orNull(job.endedNs()));
    job.figures().put(json);
    json.put("refusals", job.refusals().count());
    json.put("largestRefusedBytes", job.refusals().largestBytes());
    json.put("unscheduledProcesses", job.unscheduled().map(Unscheduled::processes).orElse(0));
    json.put(
        "largestUnscheduledBytes",
        orNull(job.unscheduled().map(Unscheduled::largestBytes).orElse(OptionalLong.of(0))));
    json.put(
        "devices",
        job.devices().entrySet().stream()
            .map(
                use -> {
                  Map<String, Object> entry = new LinkedHashMap<>();
                  entry.put("device", use.getKey());
                  entry.put("requestedBytes", use.getValue().requestedBytes());
                  entry.put("peakBytes", use.getValue().peakBytes());
                  entry.put("contextPeakBytes", orNull(use.getValue().contextPeakBytes()));
                  return entry;
                })
            .toList());
    job.lane()
        .ifPresent(
            use -> {
              Map<String, Object> lane = new LinkedHashMap<>();
              lane.put("policy", use.policy().text());
              Lanes.putUse(lane, use);
              json.put("lane", lane);
            });
    return json;
  }

  static Map<String, Object> of(DeviceSample sample) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("timeNs", sample.timeNs());
    json.put("device", sample.device());
    json.put("uuid", sample.uuid());
    json.put("name", sample.name());
    json.put("totalBytes", sample.totalBytes());
    json.put("reservedBytes", sample.reservedBytes());
    json.put("inUseBytes", sample.inUseBytes());
    json.put("nvmlUsedBytes", orNull(sample.nvmlUsedBytes()));
    json.put("utilisationPercent", orNull(sample.utilisationPercent()));
    json.put("jobs", sample.jobs());
    json.put("waiting", sample.waiting());
    json.put("lanes", orNull(sample.lanes()));
    json.put("waitingTurns", orNull(sample.waitingTurns()));
    return json;
  }

  private static Object orNull(OptionalLong value) {
    return value.isPresent() ? value.getAsLong() : null;
  }

  private static Object orNull(OptionalInt value) {
    return value.isPresent() ? value.getAsInt() : null;
  }
}
