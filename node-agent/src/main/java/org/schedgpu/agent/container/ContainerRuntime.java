package org.schedgpu.agent.container;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The container runtimes, by the arguments that they take. A further one is a row here. */
enum ContainerRuntime {
  PODMAN,
  DOCKER,
  CHARLIECLOUD,
  APPTAINER;

  /** Images of Charliecloud have empty folders /mnt/0 to /mnt/9. */
  private static final int LAST_EMPTY_FOLDER = 9;

  /** The arguments for a job, which belong before the image. */
  List<String> arguments(JobNeeds job) {
    return switch (this) {
      case PODMAN, DOCKER -> ofEngine(job);
      case CHARLIECLOUD -> ofCharliecloud(job);
      case APPTAINER -> ofApptainer(job);
    };
  }

  /**
   * Its processes may be outside of the job's control group, where a number means another device:
   * so UUIDs. The job gives the values of variables that are only named.
   */
  private static List<String> ofEngine(JobNeeds job) {
    List<String> arguments = new ArrayList<>();
    if (!job.isServed()) {
      arguments.add("--ipc=host");
    }
    for (Path bind : job.binds()) {
      arguments.add("--volume=%s:%s:%s".formatted(bind, bind, job.isWritable(bind) ? "rw" : "ro"));
    }
    arguments.addAll(values("--env=", job.paths(UnaryOperator.identity())));
    new TreeSet<>(job.variables().keySet()).forEach(name -> arguments.add("--env=" + name));
    job.devices().ifPresent(uuids -> arguments.add("--env=CUDA_VISIBLE_DEVICES=" + uuids));
    return arguments;
  }

  /** Inside is the job's environment. An image gets no new folders, so paths are others there. */
  private static List<String> ofCharliecloud(JobNeeds job) {
    List<String> arguments = new ArrayList<>();
    for (Path bind : job.binds()) {
      arguments.add("--bind=%s:%s".formatted(folder(bind), inCharliecloud(job, bind)));
    }
    arguments.addAll(values("--set-env=", job.paths(path -> pathInCharliecloud(job, path))));
    return arguments;
  }

  private static Path folder(Path bind) {
    return bind.toString().endsWith(".so") ? bind.getParent() : bind;
  }

  private static Path inCharliecloud(JobNeeds job, Path bind) {
    return Path.of("/mnt/" + (LAST_EMPTY_FOLDER - job.binds().indexOf(bind)));
  }

  private static Path pathInCharliecloud(JobNeeds job, Path path) {
    Path bind = job.binds().stream().filter(path::startsWith).findFirst().orElseThrow();
    return inCharliecloud(job, bind).resolve(folder(bind).relativize(path));
  }

  /** It takes the same from the job's environment; a second bind of a path is a warning. */
  private static List<String> ofApptainer(JobNeeds job) {
    return Stream.concat(
            job.binds().stream().filter(bind -> !job.isBound(bind)).map(bind -> "--bind=" + bind),
            values("--env=", job.paths(UnaryOperator.identity())).stream())
        .toList();
  }

  private static List<String> values(String option, Map<String, String> variables) {
    return variables.entrySet().stream()
        .map(variable -> option + variable.getKey() + "=" + variable.getValue())
        .toList();
  }
}
