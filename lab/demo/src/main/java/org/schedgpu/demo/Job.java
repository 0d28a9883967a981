package org.schedgpu.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One of the twelve jobs.
 *
 * @param program what it runs
 * @param instance 1 to 4
 */
record Job(Program program, int instance) {
  /** Its name in Slurm, {@code ara-1}; its output is in files so named. */
  String name() {
    return program.name() + "-" + instance;
  }

  /** Round by round, so that no program has all its instances first. */
  static List<Job> inOrder(List<Program> programs) {
    return IntStream.rangeClosed(1, Program.INSTANCES)
        .boxed()
        .flatMap(instance -> programs.stream().map(program -> new Job(program, instance)))
        .toList();
  }

  /** The arguments of {@code sbatch}, without the script. */
  List<String> options(RunKind kind) {
    List<String> options = new ArrayList<>();
    options.add("--job-name=" + name());
    options.add("--gres=gpu:1");
    options.add("--output=" + outputFile());
    options.add("--error=" + errorFile());
    if (kind.isScheduled()) {
      options.add("--schedgpu-mem=" + program.allocationMiB() + "M");
    }
    if (kind.hasPriorities() && program.name().equals(Program.PRIORITISED)) {
      options.add("--schedgpu-priority=high");
    }
    return options;
  }

  String outputFile() {
    return name() + ".out";
  }

  String errorFile() {
    return name() + ".err";
  }
}
