package org.schedgpu.agent;

import java.util.HashMap;
import java.util.Map;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code schedgpu status}: takes no lock and changes nothing. */
@Command(
    name = "status",
    description = "Shows devices, jobs, and who waits for what behind whom.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Shown.",
      "1:The region cannot be read, or holds numbers that cannot be right.",
      "2:Wrong usage.",
      "3:There is no region on this node."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  schedgpu status",
      "  schedgpu status --json | jq '.waiters[] | {job, place, bytes}'"
    })
final class StatusCommand extends NodeCommand {
  @Option(names = "--json", description = "Prints JSON: exact bytes and nanoseconds.")
  private boolean json;

  private final Map<Integer, String> names = new HashMap<>();

  @Override
  public Integer call() {
    RegionSnapshot snapshot;
    GpuUse use;
    try (SchedGpu region = openRegion()) {
      use = GpuLook.ifPossible(region, GpuLook::atProcesses);
      snapshot = region.snapshot();
    }
    StatusReport report =
        StatusReport.of(runDir(), snapshot, use, this::userName, RegionSnapshot.nowNs());
    out().print(json ? StatusJson.of(report) : StatusText.of(report, Style.ofTerminal()));
    out().flush();
    return snapshot.damage().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  /** Login name, or the number of a user that has none. */
  private String userName(int uid) {
    return names.computeIfAbsent(
        uid, id -> Posix.userName(id).orElse(Integer.toUnsignedString(id)));
  }
}
