package org.schedgpu.agent.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The environment of a command of {@code schedgpu run}. */
final class RunEnvironment {
  /** What frameworks are told that would otherwise take all the memory they are told of. */
  private static final Map<String, String> FRAMEWORKS =
      Map.of("TF_FORCE_GPU_ALLOW_GROWTH", "true", "XLA_PYTHON_CLIENT_PREALLOCATE", "false");

  private RunEnvironment() {}

  /**
   * What the site and the command line decided.
   *
   * @param preloadLibrary empty: the command needs none
   * @param onFailure {@code run} or {@code refuse}
   * @param frameworks whether a job with a budget gets the variables of TensorFlow and JAX that the
   *     user did not set
   * @param managedPasses whether managed memory is allocated without a reservation
   */
  record Terms(
      Optional<Path> preloadLibrary, String onFailure, boolean frameworks, boolean managedPasses) {}

  /**
   * @param environment the user's
   * @param job value of SCHEDGPU_JOB
   * @param uuids of the job's devices, in its order
   * @param budget whether the job declared one
   */
  static Map<String, String> of(
      Map<String, String> environment,
      String job,
      Path runDir,
      List<String> uuids,
      boolean budget,
      Terms terms) {
    Map<String, String> result = new TreeMap<>(environment);
    String devices = String.join(",", uuids);
    result.put("CUDA_VISIBLE_DEVICES", devices);
    result.put("SCHEDGPU_DEVICES", devices);
    result.put("SCHEDGPU_JOB", job);
    result.put("SCHEDGPU_RUN_DIR", runDir.toString());
    result.put("SCHEDGPU_ON_FAILURE", terms.onFailure());
    result.put("SCHEDGPU_MANAGED", terms.managedPasses() ? "pass" : "reserve");
    if (budget && terms.frameworks()) {
      FRAMEWORKS.forEach(result::putIfAbsent);
    }
    terms
        .preloadLibrary()
        .map(Path::toString)
        .ifPresent(
            library ->
                result.put(
                    "LD_PRELOAD", merged(library, environment.getOrDefault("LD_PRELOAD", ""))));
    return result;
  }

  /** Ours first and once, as in Slurm's jobs; ld.so takes colons and blanks. */
  private static String merged(String ours, String users) {
    return Stream.concat(Stream.of(ours), Stream.of(users.split("[: ]")))
        .filter(Predicate.not(String::isEmpty))
        .distinct()
        .collect(Collectors.joining(":"));
  }
}
