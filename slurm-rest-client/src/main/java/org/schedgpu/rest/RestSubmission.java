package org.schedgpu.rest;

import java.util.Map;
import java.util.Optional;

/**
 * A batch job to submit.
 *
 * @param script begins with {@code #!}; its {@code #SBATCH} lines are ignored by slurmrestd
 * @param workingDirectory absolute
 * @param environment of the job; slurmrestd refuses an empty one
 * @param spankEnvironment for Prolog, Epilog and SPANK plugins alone, which see each name with
 *     {@code SPANK_} before it: {@code SCHEDGPU_MEM} here is what {@code --schedgpu-mem} says.
 *     {@link SlurmRestException.Kind#UNSUPPORTED} with v0.0.38 unless empty
 * @param gpus of each node; 0 for none
 * @param node the one node it shall run on, or empty
 */
public record RestSubmission(
    String name,
    String script,
    String workingDirectory,
    Map<String, String> environment,
    Map<String, String> spankEnvironment,
    int gpus,
    Optional<String> node) {

  /** Copies the environments. */
  public RestSubmission {
    environment = Map.copyOf(environment);
    spankEnvironment = Map.copyOf(spankEnvironment);
    if (environment.isEmpty()) {
      throw new IllegalArgumentException("environment: empty: slurmrestd refuses that");
    }
    if (gpus < 0) {
      throw new IllegalArgumentException("gpus: " + gpus + ": must not be negative");
    }
  }
}
