package org.schedgpu.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.schedgpu.gres.common.Subprocess;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.minicluster.SharedSegments;

/** The emulated devices of a node: the environment that makes them, and their description. */
final class EmulatedDevices {
  private static final Pattern UUID = Pattern.compile("GPU-[0-9a-f-]{36}");
  private static final long MIB = 1L << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private EmulatedDevices() {}

  /** The variables that every process needs to find them. */
  static Map<String, String> environment(ClusterSetup setup, Path state) {
    return Map.of(
        "EMULATED_GPU_STATE",
        state.toString(),
        "EMULATED_GPU_COUNT",
        Integer.toString(setup.devices),
        "EMULATED_GPU_MEM",
        setup.deviceMiB + "M",
        "EMULATED_GPU_CONTEXT",
        setup.contextMiB + "M");
  }

  /** Makes them and reads their description. */
  static List<Device> create(ClusterSetup setup, Path state, Path deviceFiles) {
    List<String> uuids = uuids(environment(setup, state));
    return IntStream.range(0, setup.devices)
        .mapToObj(
            i ->
                new Device(
                    i,
                    uuids.get(i),
                    deviceFiles.resolve("nvidia" + i).toString(),
                    setup.deviceMiB * MIB,
                    0,
                    setup.contextMiB * MIB,
                    "Emulated GPU " + i))
        .toList();
  }

  private static List<String> uuids(Map<String, String> environment) {
    try {
      Subprocess.Result result =
          Subprocess.of(Build.emulatorCommand().toString())
              .environment(variables -> variables.putAll(environment))
              .run(PATIENCE);
      return UUID.matcher(result.out()).results().map(MatchResult::group).toList();
    } catch (IOException e) {
      throw new AssertionError("cannot run " + Build.emulatorCommand(), e);
    }
  }

  /** Removes the folder in memory with their state, and its segments. */
  static void remove(Path sharedMemory) {
    try {
      SharedSegments.removeWith(sharedMemory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
