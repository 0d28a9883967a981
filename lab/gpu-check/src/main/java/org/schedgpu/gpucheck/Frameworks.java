package org.schedgpu.gpucheck;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

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
  private static final Duration IMPORT = Duration.ofSeconds(60);

  /** No framework, for this reason. */
  static Frameworks none(String reason) {
    return new Frameworks(
        Optional.empty(),
        NAMES.stream().collect(Collectors.toMap(name -> name, name -> new Framework("", reason))));
  }

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

  /**
   * Asks each for its version, and whether it sees a GPU. All at once, each in its own process: one
   * that crashes or takes too long spoils no other.
   */
  static Frameworks find(Bundle bundle, Machine machine, Deadline deadline)
      throws InterruptedException {
    Optional<Path> python = Command.find("python3");
    if (python.isEmpty()) {
      return none("there is no python3");
    }
    Deadline limit = deadline.within(IMPORT);
    Map<String, String> environment = machine.environment();
    environment.put("XLA_PYTHON_CLIENT_PREALLOCATE", "false");
    Map<String, Framework> all = new ConcurrentHashMap<>();
    List<Thread> threads = new ArrayList<>();
    for (String name : NAMES) {
      List<String> command =
          List.of(python.get().toString(), bundle.python("versions.py").toString(), name);
      Thread thread = new Thread(() -> all.put(name, ask(name, command, environment, limit)), name);
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return new Frameworks(python, Map.copyOf(all));
  }

  private static Framework ask(
      String name, List<String> command, Map<String, String> environment, Deadline limit) {
    try {
      Command.Result result = Command.run(command, environment, limit);
      return result
          .output()
          .lines()
          .map(line -> line.split("\t", -1))
          .filter(words -> words.length == 3 && words[0].equals(name))
          .findFirst()
          .map(words -> new Framework(words[1], words[2]))
          .orElseGet(() -> new Framework("", "its import ends with " + result.exitCode()));
    } catch (OutOfTime slow) {
      return new Framework("", "its import takes too long");
    } catch (CheckException problem) {
      return new Framework("", problem.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Framework("", "interrupted");
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
