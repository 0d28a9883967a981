package org.schedgpu.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * A node without Slurm: a region of its own for one emulated device, made by the shipped command.
 * It ends with its device.
 */
final class LaneNode {
  static final long DEVICE_MIB = 4096;
  static final long CONTEXT_MIB = 64;

  private final Artifacts artifacts;
  private final EmulatedGpu gpu;

  /**
   * Makes the region.
   *
   * @param quantumMs of {@code fair}
   * @throws DemoException if that fails, with the reason
   */
  LaneNode(Artifacts artifacts, EmulatedGpu gpu, long quantumMs) throws InterruptedException {
    this.artifacts = artifacts;
    this.gpu = gpu;
    try {
      Files.writeString(conf(), configuration(quantumMs));
    } catch (IOException e) {
      throw new DemoException("cannot write " + conf(), e);
    }
    ask("setup", "--context", gpu.contextMib() + "M");
  }

  private String configuration(long quantumMs) {
    return """
    RunDir=%s
    PreloadLibrary=%s
    ContextFile=%s
    HistoryFile=%s
    LaneQuantum=%dms
    """
        .formatted(
            gpu.schedGpuFolder(),
            artifacts.preload(),
            gpu.file("contexts.conf"),
            gpu.file("history.db"),
            quantumMs);
  }

  private Path conf() {
    return gpu.file("schedgpu.conf");
  }

  /** How many processes wait for the turn of a lane. */
  int waitingTurns() throws InterruptedException {
    return sumOfLanes(lane -> lane.path("waiting").asInt());
  }

  /** In how many lanes a process is in an iteration. */
  int busyTurns() throws InterruptedException {
    return sumOfLanes(lane -> lane.path("busy").asBoolean() ? 1 : 0);
  }

  /** How many jobs are in lanes. */
  int members() throws InterruptedException {
    return sumOfLanes(lane -> lane.path("jobs").asInt());
  }

  private int sumOfLanes(ToIntFunction<JsonNode> value) throws InterruptedException {
    String text = ask("status", "--json");
    try {
      int sum = 0;
      for (JsonNode lane : new ObjectMapper().readTree(text).path("lanes")) {
        sum += value.applyAsInt(lane);
      }
      return sum;
    } catch (IOException e) {
      throw new DemoException("schedgpu status printed '" + text + "', which is no JSON", e);
    }
  }

  /**
   * Starts a training as a user would.
   *
   * @param policy of its lane
   * @param go file for which it waits in its first iteration, at most {@link
   *     LaneRun#LIMIT_SECONDS}; null for none
   */
  LaneProgram start(Training training, String policy, Path go) {
    List<String> program = new ArrayList<>();
    program.addAll(List.of("" + Training.MODEL_MIB, "" + Training.EPHEMERAL_MIB));
    program.addAll(List.of("" + training.kernelUs(), "" + training.iterations()));
    program.add(LaneProgram.recordOf(training.name(), gpu).toString());
    if (go != null) {
      program.add(go.toString());
    }
    return start(
        training.name(),
        policy,
        Training.MODEL_MIB,
        Training.BUDGET_MIB,
        lengthMs(training, go),
        program);
  }

  /**
   * Starts the program of a training as a user would.
   *
   * @param name unique on the device
   * @param policy of its lane
   * @param persistentMib what it keeps between iterations
   * @param budgetMib what it needs inside one
   * @param lengthMs what it declares for {@code srtf}
   * @param program options and arguments of the program, with {@link LaneProgram#recordOf}
   */
  LaneProgram start(
      String name,
      String policy,
      long persistentMib,
      long budgetMib,
      long lengthMs,
      List<String> program) {
    List<String> words = new ArrayList<>();
    words.addAll(List.of("run", "--lane=" + policy));
    words.addAll(List.of("--mem", budgetMib + "M", "--persistent", persistentMib + "M"));
    words.addAll(List.of("--length", lengthMs + "ms"));
    words.addAll(List.of("--wait", "forever", "--on-failure", "refuse", "--"));
    words.add(artifacts.program("training").toString());
    words.addAll(program);
    return LaneProgram.start(name, gpu, command(words));
  }

  /** What it waits for in its iteration is part of its service, so of its length. */
  private static long lengthMs(Training training, Path go) {
    return training.lengthMs() + (go == null ? 0 : 1000 * LaneRun.LIMIT_SECONDS);
  }

  private String ask(String... words) throws InterruptedException {
    try {
      Process process = command(List.of(words)).redirectErrorStream(true).start();
      String text =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (process.waitFor() == 0) {
        return text;
      }
      throw new DemoException("schedgpu " + String.join(" ", words) + ": " + text);
    } catch (IOException e) {
      throw new DemoException("cannot start " + artifacts.schedgpu(), e);
    }
  }

  /** The shipped command, with this node's files, and without the settings of a job around it. */
  private ProcessBuilder command(List<String> words) {
    ProcessBuilder builder = artifacts.command(artifacts.schedgpu(), "--conf", conf().toString());
    builder.command().addAll(words);
    builder.environment().keySet().removeIf(name -> name.startsWith("SCHEDGPU"));
    builder.environment().putAll(gpu.environment());
    return builder;
  }
}
