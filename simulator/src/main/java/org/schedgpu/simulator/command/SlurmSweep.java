package org.schedgpu.simulator.command;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.schedgpu.gres.common.Json;
import org.schedgpu.simulator.answer.Answer;
import org.schedgpu.simulator.answer.OutputFile;
import org.schedgpu.simulator.answer.Tables;
import org.schedgpu.simulator.engine.Scenario;
import org.schedgpu.simulator.problem.SimulatorException;
import org.schedgpu.simulator.shard.JobArray;
import org.schedgpu.simulator.shard.Shards;
import picocli.CommandLine;

/** A sweep as a job array: submits what is missing, plays one task, or merges. */
final class SlurmSweep {
  private static final int ATTEMPTS = 3;
  private static final String NAME = "simulate";

  private final Plan plan;
  private final SlurmOptions options;
  private final Outputs outputs;
  private final CommandLine commandLine;
  private final int threads;
  private final Shards shards;

  SlurmSweep(
      Plan plan, SlurmOptions options, Outputs outputs, CommandLine commandLine, int threads) {
    this.plan = plan;
    this.options = options;
    this.outputs = outputs;
    this.commandLine = commandLine;
    this.threads = threads;
    String sweep =
        Shards.fingerprint(plan.playable(), plan.settings(), plan.scenarios(), plan.seed());
    this.shards = new Shards(options.folder, sweep, plan.scenarios().size());
  }

  int call() {
    if (options.task != null) {
      playTask(options.task);
    } else if (options.merge != null) {
      merge(options.merge);
    } else {
      submit();
    }
    return 0;
  }

  private void playTask(int task) {
    List<Scenario> scenarios = plan.scenarios();
    if (task < 1 || task > scenarios.size()) {
      throw new SimulatorException(
          "there is no task " + task + " of " + scenarios.size(), "submit again with --slurm");
    }
    shards.play(task, scenarios.get(task - 1), plan.sweep(threads));
    print("played: " + scenarios.get(task - 1).name());
  }

  /** In the job behind the array: what was killed runs again. */
  private void merge(int attempt) {
    List<Integer> missing = shards.missing();
    if (missing.isEmpty()) {
      finish();
      return;
    }
    String names =
        missing.stream()
            .map(task -> plan.scenarios().get(task - 1).name())
            .collect(Collectors.joining(", "));
    if (attempt >= ATTEMPTS) {
      throw new SimulatorException(
          "not played in " + ATTEMPTS + " attempts: " + names,
          "see the files task-*.log in " + options.folder + ", and call it again");
    }
    print("not played: " + names);
    print(array().submit(missing, attempt + 1));
  }

  private void submit() {
    List<Integer> missing = shards.missing();
    if (missing.isEmpty()) {
      finish();
    } else {
      print(array().submit(missing, 1) + " into " + options.folder.resolve("result.txt"));
    }
  }

  /** The same bytes, whoever merges and how often. */
  private void finish() {
    Answer answer = plan.answer(shards.merged());
    StringWriter printed = new StringWriter();
    outputs.write(answer, new PrintWriter(printed));
    write("result.json", Json.write(answer));
    write("result.txt", Tables.of(answer)); // once it is there, all is
    commandLine.getOut().print(printed);
    commandLine.getOut().flush();
  }

  private void write(String name, String text) {
    OutputFile.write(options.folder.resolve(name), text.getBytes(StandardCharsets.UTF_8));
  }

  private JobArray array() {
    return new JobArray(options.folder, command(), options.sbatch);
  }

  /** This command as it was called, without what made it a task or a merger. */
  private List<String> command() {
    List<String> words = new ArrayList<>();
    words.add(System.getProperty("schedgpu.self", "schedgpu"));
    words.add(NAME);
    List<String> given = commandLine.getParseResult().originalArgs();
    int first = !given.isEmpty() && given.get(0).equals(NAME) ? 1 : 0;
    for (String word : given.subList(first, given.size())) {
      if (!word.startsWith("--slurm-")) {
        words.add(word);
      }
    }
    return words;
  }

  private void print(String line) {
    commandLine.getOut().println(line);
    commandLine.getOut().flush();
  }
}
