package org.schedgpu.minicluster;

import java.nio.file.Path;

/**
 * Device nodes without a driver behind them: character major 241 is for local use. Opening one
 * gives ENXIO where the devices cgroup allows it and EPERM where it denies it, which is all a test
 * needs.
 */
final class FakeDevices {
  static final String CONTROL = "nvidiactl";
  private static final int MAJOR = 241;
  private static final int CONTROL_MINOR = 255;

  private FakeDevices() {}

  /**
   * Makes {@code nvidia0} to {@code nvidia<count-1>} and {@code nvidiactl}, mode 0666.
   *
   * @throws MiniClusterException if mknod is not allowed
   */
  static void create(Path directory, int count) {
    for (int minor = 0; minor < count; minor++) {
      make(directory.resolve("nvidia" + minor), minor);
    }
    make(directory.resolve(CONTROL), CONTROL_MINOR);
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
