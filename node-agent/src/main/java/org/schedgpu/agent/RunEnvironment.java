package org.schedgpu.agent;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The environment of a command of {@code schedgpu run}. */
final class RunEnvironment {
  private RunEnvironment() {}

  /**
   * @param environment the user's
   * @param job value of SCHEDGPU_JOB
   * @param uuids of the job's devices, in its order
   * @param preloadLibrary empty: the command needs none
   * @param onFailure {@code run} or {@code refuse}
   */
  static Map<String, String> of(
      Map<String, String> environment,
      String job,
      Path runDir,
      List<String> uuids,
      Optional<Path> preloadLibrary,
      String onFailure) {
    Map<String, String> result = new TreeMap<>(environment);
    String devices = String.join(",", uuids);
    result.put("CUDA_VISIBLE_DEVICES", devices);
    result.put("SCHEDGPU_DEVICES", devices);
    result.put("SCHEDGPU_JOB", job);
    result.put("SCHEDGPU_RUN_DIR", runDir.toString());
    result.put("SCHEDGPU_ON_FAILURE", onFailure);
    String users = environment.getOrDefault("LD_PRELOAD", "");
    preloadLibrary.ifPresent(
        library ->
            result.put("LD_PRELOAD", users.isEmpty() ? library.toString() : library + ":" + users));
    return result;
  }
}
