package org.schedgpu.minicluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Device nodes without a driver: character major 241 is for local use. Opening one fails with ENXIO
 * if the devices cgroup allows it and with EPERM if it denies it, which is all that a test needs.
 */
final class FakeDevices {
  static final String CONTROL = "nvidiactl";
  private static final int MAJOR = 241;
  private static final int CONTROL_MINOR = 255;
  private static final int FIRST_OTHER_MINOR = 100;
  private static final Pattern NUMBERED = Pattern.compile("nvidia([0-9]{1,2})");

  private FakeDevices() {}

  /** {@code nvidia0} to {@code nvidia<count-1>} and {@code nvidiactl}; none if the count is 0. */
  static List<String> numbered(int count) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      names.add("nvidia" + i);
    }
    if (count > 0) {
      names.add(CONTROL);
    }
    return names;
  }

  /**
   * Makes them, mode 0666, each with a minor number of its own.
   *
   * @param names relative to the directory
   * @throws MiniClusterException if mknod is not allowed
   */
  static void create(Path directory, List<String> names) {
    int other = FIRST_OTHER_MINOR;
    for (String name : names) {
      Matcher numbered = NUMBERED.matcher(name);
      Path node = directory.resolve(name);
      CommandRunner.run("mkdir", "-p", node.getParent().toString()).orThrow();
      if (numbered.matches()) {
        make(node, Integer.parseInt(numbered.group(1)));
      } else {
        make(node, name.equals(CONTROL) ? CONTROL_MINOR : other++);
      }
    }
  }

  private static void make(Path node, int minor) {
    CommandRunner.run(
            "mknod",
            "-m",
            "666",
            node.toString(),
            "c",
            Integer.toString(MAJOR),
            Integer.toString(minor))
        .orThrow();
  }
}
