package org.schedgpu.agent.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.schedgpu.jna.JobEnvironment;
import org.schedgpu.jna.RegionSnapshot.Device;

/** The environment of a command of {@code schedgpu run}. */
final class RunEnvironment {
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
   * @param devices of the job, in its order
   * @param budget whether the job declared one
   */
  static Map<String, String> of(
      Map<String, String> environment,
      String job,
      Path runDir,
      List<Device> devices,
      boolean budget,
      Terms terms) {
    return new JobEnvironment(
            job,
            runDir.toString(),
            terms.preloadLibrary().map(Path::toString).orElse(null),
            devices.stream().map(Device::uuid).collect(Collectors.joining(",")),
            devices.stream()
                .map(device -> Integer.toString(device.index()))
                .collect(Collectors.joining(",")),
            terms.onFailure().equals("refuse"),
            terms.managedPasses(),
            budget && terms.frameworks())
        .applyTo(environment);
  }
}
