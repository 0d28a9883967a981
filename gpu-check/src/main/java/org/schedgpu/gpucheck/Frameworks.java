package org.schedgpu.gpucheck;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The installed frameworks of Python.
 *
 * @param python the interpreter, if there is one
 * @param all by their names
 */
record Frameworks(Optional<Path> python, Map<String, Framework> all) {
  static final String TORCH = "torch";
  static final String JAX = "jax";
  static final String CUPY = "cupy";
  private static final List<String> NAMES = List.of(TORCH, JAX, CUPY);
  private static final Duration IMPORTS = Duration.ofMinutes(2);

  /**
   * One framework.
   *
   * @param reason why it cannot be used; empty if it can
   */
  record Framework(String version, String reason) {
    boolean isUsable() {
      return reason.isEmpty();
    }
  }

  /** Asks each for its version, and whether it sees a GPU. */
  static Frameworks find(Bundle bundle, Machine machine, Deadline deadline)
      throws InterruptedException {
    Optional<Path> python = Command.find("python3");
    Map<String, Framework> all = new TreeMap<>();
    NAMES.forEach(name -> all.put(name, new Framework("", "there is no python3")));
    if (python.isPresent()) {
      NAMES.forEach(name -> all.put(name, new Framework("", "it cannot be imported")));
      List<String> command = new ArrayList<>(List.of(python.get().toString()));
      command.add(bundle.python("versions.py").toString());
      command.addAll(NAMES);
      Command.run(command, machine.environment(), deadline.within(IMPORTS))
          .output()
          .lines()
          .forEach(line -> read(line, all));
    }
    return new Frameworks(python, Map.copyOf(all));
  }

  private static void read(String line, Map<String, Framework> all) {
    String[] words = line.split("\t", -1);
    if (words.length == 3 && NAMES.contains(words[0])) {
      all.put(words[0], new Framework(words[1], words[2]));
    }
  }

  boolean has(String name) {
    return all.get(name).isUsable();
  }

  /** Why a framework cannot be used. */
  String reason(String name) {
    return all.get(name).reason();
  }

  /** The program of a framework that can be used. */
  List<String> program(Bundle bundle, String name) {
    return List.of(python.orElseThrow().toString(), bundle.python(name + "_program.py").toString());
  }
}
