package org.schedgpu.agent.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.agent.text.JsonText;

/**
 * The data that report.js draws. It contains no names that users chose; a precision of MiB is
 * enough for memory.
 */
final class ChartJson {
  private static final int MIB_SHIFT = 20;

  private ChartJson() {}

  static String of(ReportData data) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("timeZone", data.timeZone());
    json.put("fromMs", data.window().fromNs() / 1_000_000);
    json.put("untilMs", data.window().untilNs() / 1_000_000);
    List<Object> charts = new ArrayList<>();
    if (data.job() == null) {
      data.devices().forEach(device -> add(charts, device));
    } else {
      data.job().devices().forEach(share -> add(charts, share));
    }
    json.put("charts", charts);
    // Only this text could end the script element.
    return JsonText.of(json).replace("<", "\\u003c");
  }

  private static void add(List<Object> charts, DeviceReport device) {
    TimeSeries course = device.course();
    Map<String, Object> memory = chart("memory", device.device(), course.timeMs());
    memory.put("total", mib(course.totalBytes()));
    memory.put("granted", mib(course.grantedBytes()));
    memory.put("inUse", mib(course.inUseBytes()));
    memory.put("nvml", mib(course.nvmlUsedBytes()));
    charts.add(memory);
    Map<String, Object> activity = chart("activity", device.device(), course.timeMs());
    activity.put("utilisation", course.utilisationPercent());
    activity.put("jobs", course.jobs());
    activity.put("waiting", course.waiting());
    charts.add(activity);
    if (course.hasLanes()) {
      Map<String, Object> turns = chart("turns", device.device(), course.timeMs());
      turns.put("lanes", course.lanes());
      turns.put("waiting", course.waitingTurns());
      charts.add(turns);
    }
  }

  private static void add(List<Object> charts, JobDetail.Share share) {
    Map<String, Object> chart = chart("job", share.device(), share.timeMs());
    chart.put("total", share.totalBytes() >> MIB_SHIFT);
    chart.put("requested", share.requestedBytes() >> MIB_SHIFT);
    chart.put("held", mib(share.heldBytes()));
    chart.put("inUse", mib(share.inUseBytes()));
    chart.put("others", mib(share.othersBytes()));
    charts.add(chart);
  }

  private static Map<String, Object> chart(String kind, int device, List<Long> timeMs) {
    Map<String, Object> chart = new LinkedHashMap<>();
    chart.put("kind", kind);
    chart.put("canvas", kind + "-device-" + device);
    chart.put("timeMs", timeMs);
    return chart;
  }

  private static List<Long> mib(List<Long> bytes) {
    List<Long> mib = new ArrayList<>(bytes.size());
    bytes.forEach(value -> mib.add(value == null ? null : value >> MIB_SHIFT));
    return mib;
  }
}
