package org.schedgpu.jna;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the programs of a job of {@code schedgpu run} are told (struct schedgpu_run_env), by the
 * rule of Slurm's jobs.
 *
 * @param job value of SCHEDGPU_JOB
 * @param runDir where the region is
 * @param library for LD_PRELOAD; null: they need none
 * @param uuids of the job's devices, with commas
 * @param numbers the same devices as numbers
 * @param refuse whether what cannot be scheduled is refused
 * @param managedPasses whether managed memory is allocated without a reservation
 * @param frameworks whether TensorFlow and JAX are told to take what they need
 */
public record JobEnvironment(
    String job,
    String runDir,
    String library,
    String uuids,
    String numbers,
    boolean refuse,
    boolean managedPasses,
    boolean frameworks) {
  private static final int CHANGES_SIZE = 1 << 18;

  /**
   * The environment that comes of the user's.
   *
   * @throws SchedGpuException if there is no room for it
   */
  public Map<String, String> applyTo(Map<String, String> users) {
    CLibrary.load();
    CStruct env =
        new CStruct(
            Arrays.asList(job, runDir, library, uuids, numbers),
            (refuse ? 1L : 0L) | (managedPasses ? 1L << 32 : 0L),
            frameworks ? 1 : 0);
    byte[] changes = new byte[CHANGES_SIZE];
    int result = CApi.schedgpu_run_environment(env.memory(), block(users), changes, changes.length);
    if (result != 0) {
      throw new SchedGpuException(
          ErrorCode.EINVAL, "schedgpu: the environment is too large: shorten LD_PRELOAD");
    }
    Map<String, String> told = new TreeMap<>(users);
    for (int at = 0; changes[at] != 0; ) {
      int end = at;
      while (changes[end] != 0) {
        end++;
      }
      apply(told, new String(changes, at, end - at, StandardCharsets.UTF_8));
      at = end + 1;
    }
    return told;
  }

  private static byte[] block(Map<String, String> users) {
    StringBuilder block = new StringBuilder();
    users.forEach((name, value) -> block.append(name).append('=').append(value).append('\0'));
    return block.append('\0').toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void apply(Map<String, String> environment, String change) {
    int equals = change.indexOf('=');
    if (equals < 0) {
      environment.remove(change);
    } else {
      environment.put(change.substring(0, equals), change.substring(equals + 1));
    }
  }
}
