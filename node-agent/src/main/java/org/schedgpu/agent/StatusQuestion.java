package org.schedgpu.agent;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.schedgpu.agent.sight.Arguments;
import org.schedgpu.agent.sight.Question;
import org.schedgpu.agent.sight.Viewer;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.ServedRun;

/**
 * {@code status}: what {@code schedgpu status --json} prints. With {@code text} what it prints for
 * people, under that name; with {@code colour} for a terminal.
 */
final class StatusQuestion implements Question {
  private static final String TEXT = "text";
  private static final String COLOUR = "colour";

  private final RegionAccess access;

  StatusQuestion(RegionAccess access) {
    this.access = access;
  }

  static Map<String, Object> arguments(boolean json, Style style) {
    return json ? Map.of() : Map.of(TEXT, true, COLOUR, style.isOn());
  }

  @Override
  public Object answer(Map<String, Object> arguments, Viewer viewer) {
    return access.ask(region -> answer(region, access.runDir(), arguments, viewer));
  }

  static Map<String, Object> answer(
      SchedGpu region, Path runDir, Map<String, Object> given, Viewer viewer) {
    GpuUse use = GpuLook.ifPossible(region, GpuLook::atProcesses);
    ServedRun.refresh(runDir);
    RegionSnapshot snapshot = region.glance();
    StatusReport report =
        StatusReport.of(runDir, snapshot, use, new UserNames(), RegionSnapshot.nowNs())
            .seenBy(viewer);
    Arguments arguments = new Arguments(given);
    if (!arguments.flag(TEXT)) {
      return StatusJson.values(report);
    }
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put(TEXT, StatusText.of(report, new Style(arguments.flag(COLOUR))));
    answer.put("damage", snapshot.damage());
    return answer;
  }
}
