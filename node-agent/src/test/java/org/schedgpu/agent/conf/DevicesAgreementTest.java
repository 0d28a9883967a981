package org.schedgpu.agent.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.RealLibrary;

/** devices.conf: the agent and the hooks take the same. */
class DevicesAgreementTest {
  private static final int FILES = 300;
  private static final int LINES = 3; // more problems than the hook's line has room for
  private static final long MOST = Long.MAX_VALUE;

  private static final List<String> NODES = List.of("gpu1", "gpu1", "gpu1", "gpu2");
  private static final List<String> LISTS =
      List.of("0-3", "4-7", "8,10,12", "9,11", "13-15", "3", "1", "0-1023", "4095", "02");
  private static final List<String> SIZES =
      List.of("1", "1000", "16777216", "68719476736", "007", "" + MOST);

  /** Some are right for one key or another. */
  private static final List<String> VALUES =
      List.of(
          "",
          "0",
          "1",
          "15",
          "16",
          "015",
          "-1",
          "+1",
          "1 ",
          "0x1",
          "gpu[1-2]",
          "gpu1,gpu2",
          "gpu3",
          "GPU-",
          "GPU-1:2",
          "\"GPU-1 2\"",
          "gpu-1",
          "MIG-1",
          "/dev/nvidia0",
          "dev/nvidia0",
          "9223372036854775808",
          "18446744073709551615",
          "99999999999999999999",
          "5G",
          "0-1024",
          "0,0",
          "0-3,2",
          "3-1",
          "4096",
          "00001",
          "000001",
          "0-",
          ",0",
          "0,",
          "0,,1",
          "0 1",
          "0- 1",
          "\"Tesla K20m\"",
          "\"x",
          "\u00fc",
          "\uff11");

  /** As long as there is room for in C, and longer by one. */
  private static final List<String> LONG_VALUES =
      List.of(
          "x".repeat(63),
          "x".repeat(64),
          "x".repeat(255),
          "x".repeat(256),
          "GPU-" + "x".repeat(43),
          "GPU-" + "x".repeat(44),
          "GPU-" + "\u00fc".repeat(22),
          "/" + "x".repeat(4094),
          "/" + "x".repeat(4095),
          "0".repeat(30) + "1");

  @TempDir Path folder;
  private int taken;

  /** It could make no region where a file is in the way: nothing of this is to be left behind. */
  @BeforeEach
  void configure() throws IOException {
    RealLibrary.require();
    Path file = Files.createFile(folder.resolve("file"));
    Files.writeString(folder.resolve("schedgpu.conf"), "RunDir=" + file.resolve("run") + "\n");
  }

  private static Map<DeviceKey, String> anyRight(Random random) {
    Map<DeviceKey, String> line = new EnumMap<>(DeviceKey.class);
    line.put(DeviceKey.NODE_NAME, HookReading.any(NODES, random));
    if (random.nextInt(5) == 0) {
      line.put(DeviceKey.NOT_OURS, HookReading.any(LISTS, random));
      return line;
    }
    line.put(DeviceKey.DEVICE, Integer.toString(random.nextInt(16)));
    line.put(DeviceKey.UUID, "GPU-" + random.nextInt(16));
    line.put(DeviceKey.FILE, "/dev/nvidia0");
    line.put(DeviceKey.TOTAL_BYTES, "68719476736");
    line.put(DeviceKey.RESERVED_BYTES, random.nextInt(4) == 0 ? anySize(random) : "0");
    line.put(DeviceKey.CONTEXT_BYTES, random.nextInt(4) == 0 ? anySize(random) : "0");
    line.put(DeviceKey.VIRTUAL, HookReading.any(LISTS, random));
    if (random.nextBoolean()) {
      line.put(DeviceKey.NAME, "x");
    }
    return line;
  }

  private static String anySize(Random random) {
    return HookReading.any(SIZES, random);
  }

  private static String text(Map<DeviceKey, String> line) {
    return line.entrySet().stream()
        .map(entry -> entry.getKey().text() + "=" + entry.getValue())
        .collect(Collectors.joining(" "));
  }

  /** One thing is wrong with it, or none. */
  private static String anyLine(Random random) {
    Map<DeviceKey, String> line = anyRight(random);
    DeviceKey key = HookReading.any(List.of(DeviceKey.values()), random);
    return switch (random.nextInt(8)) {
      case 0, 1 -> {
        line.put(key, HookReading.any(VALUES, random));
        yield text(line);
      }
      case 2 -> {
        line.remove(key);
        yield text(line);
      }
      case 3 -> text(line) + " " + key.text() + "=" + HookReading.any(VALUES, random);
      default -> text(line);
    };
  }

  private void compare(String text) throws Exception {
    Path conf = folder.resolve("devices.conf");
    Files.write(conf, text.getBytes(StandardCharsets.UTF_8));
    HookReading reading = new HookReading(folder, "devices.conf");
    boolean[] none = new boolean[1];
    HookReading.Said here = reading.here(() -> none[0] = DevicesConf.read(conf, "gpu1").isEmpty());
    TreeSet<Integer> lines = new TreeSet<>(here.lines());
    if (none[0]) {
      lines.add(0); // no device is a problem for a hook
    }
    HookReading.Said there = reading.byTheProlog();
    assertEquals(
        lines, there.lines(), () -> text + "\nhere: " + here.text() + "\nhook: " + there.text());
    taken += there.lines().isEmpty() ? 1 : 0;
  }

  @Test
  void whatIsRefusedHereIsRefusedByTheHooksAndWhatIsTakenIsTaken() throws Exception {
    Random random = HookReading.random(getClass());
    for (int file = 0; file < FILES; file++) {
      StringBuilder text = new StringBuilder();
      for (int line = 0; line < 1 + random.nextInt(LINES); line++) {
        text.append(anyLine(random)).append('\n');
      }
      compare(text.toString());
    }
    assertTrue(taken > FILES / 20, taken + " were right"); // else only refusals were compared
  }

  @Test
  void eachValueOfEachKeyIsRightForBothOrForNone() throws Exception {
    Random random = new Random(1);
    for (DeviceKey key : DeviceKey.values()) {
      for (List<String> values : List.of(VALUES, LONG_VALUES, LISTS, SIZES)) {
        for (String value : values) {
          Map<DeviceKey, String> line = anyRight(random);
          line.put(key, value);
          compare(text(line) + "\n");
        }
      }
    }
  }
}
