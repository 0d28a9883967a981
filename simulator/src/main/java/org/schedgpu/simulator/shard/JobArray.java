package org.schedgpu.simulator.shard;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.schedgpu.gres.common.IoReason;
import org.schedgpu.gres.common.Subprocess;
import org.schedgpu.simulator.answer.OutputFile;
import org.schedgpu.simulator.problem.SimulatorException;

/** Jobs of Slurm that run tasks, and one behind them that merges. */
public final class JobArray {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final String program;
  private final Path folder;
  private final List<String> command;
  private final List<String> sbatchOptions;

  /**
   * @param folder for scripts and output, on a file system that all nodes share
   * @param command that plays a task, or merges, if it is told which by one more option
   * @param sbatchOptions more options of sbatch, such as {@code --partition=cpu}
   */
  public JobArray(Path folder, List<String> command, List<String> sbatchOptions) {
    this(folder, command, sbatchOptions, "sbatch");
  }

  JobArray(Path folder, List<String> command, List<String> sbatchOptions, String program) {
    this.program = program;
    this.folder = folder.toAbsolutePath();
    this.command = command;
    this.sbatchOptions = sbatchOptions;
  }

  /**
   * Submits tasks, and a job that merges when none of them runs any more.
   *
   * @param attempt how often the tasks have been submitted with this, from 1
   * @return what was submitted, in a line
   * @throws SimulatorException if Slurm refuses
   */
  public String submit(List<Integer> tasks, int attempt) {
    String array = tasks.stream().map(String::valueOf).collect(Collectors.joining(","));
    Path script = script("task.sh", "--slurm-task=\"$SLURM_ARRAY_TASK_ID\"");
    String job = sbatch("--array=" + array, "--output=" + output("task-%a"), script.toString());
    Path merge = script("merge-" + attempt + ".sh", "--slurm-merge=" + attempt);
    String merger =
        sbatch("--dependency=afterany:" + job, "--output=" + output("merge"), merge.toString());
    return "job %s plays %d configurations, job %s merges them"
        .formatted(job, tasks.size(), merger);
  }

  private Path output(String name) {
    return folder.resolve(name + ".log");
  }

  private Path script(String name, String option) {
    String words = command.stream().map(JobArray::quoted).collect(Collectors.joining(" "));
    Path script = folder.resolve(name);
    String text = "#!/bin/sh\nexec " + words + " " + option + "\n";
    try {
      Files.createDirectories(folder);
    } catch (IOException problem) {
      throw new SimulatorException(
          folder + ": cannot be made (" + IoReason.of(problem) + ")", "choose another folder");
    }
    OutputFile.write(script, text.getBytes(StandardCharsets.UTF_8));
    return script;
  }

  /** For a shell. */
  static String quoted(String word) {
    return word.matches("[A-Za-z0-9_./,:=+@%-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  private String sbatch(String... options) {
    List<String> words = new ArrayList<>(List.of(program, "--parsable", "--requeue"));
    words.addAll(List.of("--job-name=schedgpu-simulate", "--open-mode=append"));
    words.addAll(sbatchOptions);
    words.addAll(Arrays.asList(options));
    try {
      Subprocess.Result sbatch = Subprocess.of(words).merged().run(PATIENCE);
      String said = sbatch.out().strip();
      String id = said.replaceFirst("(?s).*\n", "").replaceFirst(";.*", "");
      if (!sbatch.isOk() || !id.matches("[0-9]+")) {
        throw new SimulatorException(
            "sbatch: " + (said.isEmpty() ? sbatch.problem().orElse("it printed no job") : said),
            "try --sbatch, or play here without --slurm");
      }
      return id;
    } catch (IOException problem) {
      throw new SimulatorException(
          "sbatch cannot be run (" + IoReason.of(problem) + ")",
          "call it where jobs are submitted, or play here without --slurm");
    }
  }
}
