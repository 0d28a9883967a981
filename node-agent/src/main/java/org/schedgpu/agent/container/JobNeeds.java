package org.schedgpu.agent.container;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.schedgpu.agent.problem.AgentException;

/**
 * What a container of a job needs, from the environment of the job
 * (libschedgpu/node/container_env.c).
 *
 * @param binds paths of the libraries, of the run directory, and in a lane job of the module
 * @param environment of the job
 */
record JobNeeds(List<Path> binds, Map<String, String> environment) {
  private static final String RUN_DIR = "SCHEDGPU_RUN_DIR";
  private static final String OURS = "SCHEDGPU_";
  private static final List<String> FOR_PROGRAMS =
      List.of("TF_FORCE_GPU_ALLOW_GROWTH", "XLA_PYTHON_CLIENT_PREALLOCATE");

  /**
   * Empty if the job needs nothing in a container, as in mode gate.
   *
   * @throws AgentException outside of a job, or if an argument would be several words
   */
  static Optional<JobNeeds> of(Map<String, String> environment) {
    if (!environment.containsKey("SCHEDGPU_JOB")) {
      throw new AgentException(
          "this is not inside a job that is scheduled: call it in a job of Slurm with a GPU, or"
              + " under schedgpu run");
    }
    String binds = environment.get("SCHEDGPU_BINDS");
    if (binds == null) {
      return Optional.empty();
    }
    if (binds.chars().anyMatch(c -> Character.isWhitespace(c) || c == ':')) {
      throw new AgentException(
          binds + ": paths with blanks or colons cannot be bound: choose other folders");
    }
    return Optional.of(
        new JobNeeds(Arrays.stream(binds.split(",", -1)).map(Path::of).toList(), environment));
  }

  /** Programs write into the run directory only. */
  boolean isWritable(Path bind) {
    return bind.equals(runDir());
  }

  /** True if Apptainer binds it anyway. */
  boolean isBound(Path bind) {
    return Arrays.asList(environment.getOrDefault("APPTAINER_BIND", "").split(",", -1))
        .contains(bind.toString());
  }

  /** True if the agent serves clients, which then need no memory of the host's. */
  boolean isServed() {
    return Files.exists(runDir().resolve("agent.sock"));
  }

  private Path runDir() {
    return Path.of(environment.get(RUN_DIR));
  }

  /** UUIDs of the devices, with commas: right whatever a container shows. */
  Optional<String> devices() {
    return Optional.ofNullable(environment.get("SCHEDGPU_DEVICES"));
  }

  /**
   * The variables that name paths.
   *
   * @param inside where a path of the node is inside
   */
  Map<String, String> paths(UnaryOperator<Path> inside) {
    Map<String, String> paths = new LinkedHashMap<>();
    paths.put("LD_PRELOAD", list("LD_PRELOAD", inside));
    paths.put(RUN_DIR, inside.apply(runDir()).toString());
    String module = list("PYTHONPATH", inside);
    if (!module.isEmpty()) {
      paths.put("PYTHONPATH", module);
    }
    return paths;
  }

  /** The paths of this list that are ours; others may not be there inside. */
  private String list(String name, UnaryOperator<Path> inside) {
    String value =
        environment.getOrDefault("APPTAINERENV_" + name, environment.getOrDefault(name, ""));
    return Arrays.stream(value.split("[:\\s]+", -1))
        .filter(entry -> !entry.isEmpty())
        .map(Path::of)
        .filter(path -> binds.stream().anyMatch(path::startsWith))
        .map(path -> inside.apply(path).toString())
        .collect(Collectors.joining(":"));
  }

  /** The job's other variables. */
  Map<String, String> variables() {
    return environment.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(OURS) || FOR_PROGRAMS.contains(entry.getKey()))
        .filter(entry -> !entry.getKey().equals(RUN_DIR))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }
}
