package org.schedgpu.agent.overrun;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.schedgpu.agent.text.Texts;

/**
 * A program of a scheduled job that used a device without being attached to the region.
 *
 * @param pid on the node
 * @param name of its program; "" if unknown
 * @param running false: the last look did not show it any more
 * @param mostBytes the most that a look showed, its CUDA contexts included; empty: NVML does not
 *     report it
 * @param why the library does not see it
 */
public record UnscheduledProgram(
    int pid,
    String name,
    int device,
    boolean running,
    OptionalLong mostBytes,
    UncaughtProgram why) {
  private static final int FIELDS = 6;
  private static final long UNKNOWN_BYTES = -1;

  /** Of a process that a look shows. */
  static UnscheduledProgram of(GpuUser user, int device, UncaughtProgram why) {
    return new UnscheduledProgram(user.pid(), user.name(), device, true, user.usedBytes(), why);
  }

  boolean isOn(int otherPid, int otherDevice) {
    return pid == otherPid && device == otherDevice;
  }

  /** After another look, which shows it, or does not. */
  UnscheduledProgram after(Optional<UnscheduledProgram> look) {
    OptionalLong seen = look.map(UnscheduledProgram::mostBytes).orElse(OptionalLong.empty());
    OptionalLong most =
        seen.orElse(UNKNOWN_BYTES) > mostBytes.orElse(UNKNOWN_BYTES) ? seen : mostBytes;
    return new UnscheduledProgram(pid, name, device, look.isPresent(), most, why);
  }

  /** {@code 4712 train, up to 716 MiB of device 0}. */
  public String text() {
    return "%d%s, %sdevice %d".formatted(pid, name.isEmpty() ? "" : " " + name, amount(), device);
  }

  /** {@code up to 716 MiB of }; empty if it is not known. */
  String amount() {
    return mostBytes.isPresent() ? "up to %s of ".formatted(Texts.size(mostBytes.getAsLong())) : "";
  }

  /** For JSON. */
  public Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("pid", pid);
    json.put("name", name);
    json.put("device", device);
    json.put("running", running);
    json.put("mostBytes", mostBytes.isPresent() ? mostBytes.getAsLong() : null);
    return json;
  }

  /** As a line of a file. */
  String line() {
    return "%d %d %d %d %s %s"
        .formatted(pid, device, running ? 1 : 0, mostBytes.orElse(UNKNOWN_BYTES), why, name);
  }

  /** What a line says; empty if it is damaged. */
  static Optional<UnscheduledProgram> of(String line) {
    String[] words = line.split(" ", FIELDS);
    try {
      long most = Long.parseLong(words[3]);
      return Optional.of(
          new UnscheduledProgram(
              Integer.parseInt(words[0]),
              words[5],
              Integer.parseInt(words[1]),
              words[2].equals("1"),
              most < 0 ? OptionalLong.empty() : OptionalLong.of(most),
              UncaughtProgram.valueOf(words[4])));
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException damaged) {
      return Optional.empty();
    }
  }
}
