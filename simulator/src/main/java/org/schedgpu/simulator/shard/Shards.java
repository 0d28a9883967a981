package org.schedgpu.simulator.shard;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.IoReason;
import org.schedgpu.gres.common.Json;
import org.schedgpu.simulator.answer.OutputFile;
import org.schedgpu.simulator.engine.Scenario;
import org.schedgpu.simulator.engine.Settings;
import org.schedgpu.simulator.job.Job;
import org.schedgpu.simulator.problem.SimulatorException;
import org.schedgpu.simulator.result.Summary;
import org.schedgpu.simulator.result.Sweep;

/**
 * The shards of one sweep in a folder. A shard is written as a whole or not at all, so a task may
 * be killed at any time and run again; shards of another sweep are not there.
 */
public final class Shards {
  private final Path folder;
  private final String sweep;
  private final int tasks;

  /**
   * @param sweep which sweep: {@link #fingerprint}
   * @param tasks how many it has
   */
  public Shards(Path folder, String sweep, int tasks) {
    this.folder = folder;
    this.sweep = sweep;
    this.tasks = tasks;
  }

  /** The same for the same jobs, nodes, configurations and seed, and for no others. */
  public static String fingerprint(
      List<Job> jobs, Settings settings, List<Scenario> scenarios, long seed) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Object part : List.of(settings, scenarios, seed)) {
        digest.update((part + "\n").getBytes(StandardCharsets.UTF_8));
      }
      for (Job job : jobs) {
        digest.update((job + "\n").getBytes(StandardCharsets.UTF_8));
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Plays a configuration and writes its shard. */
  public void play(int task, Scenario scenario, Sweep player) {
    List<Summary> played = player.play(List.of(scenario), done -> {});
    Shard shard = new Shard(sweep, task, played.get(0), played.get(1));
    OutputFile.write(file(task), Json.write(shard).getBytes(StandardCharsets.UTF_8));
  }

  /** The tasks whose shards are not there. */
  public List<Integer> missing() {
    List<Integer> missing = new ArrayList<>();
    for (int task = 1; task <= tasks; task++) {
      if (read(task).isEmpty()) {
        missing.add(task);
      }
    }
    return missing;
  }

  /** What all of them played: one job per GPU, and the configurations in their order. */
  public List<Summary> merged() {
    List<Summary> summaries = new ArrayList<>();
    for (int task = 1; task <= tasks; task++) {
      Shard shard = read(task).orElseThrow();
      if (summaries.isEmpty()) {
        summaries.add(shard.exclusive());
      }
      summaries.add(shard.summary());
    }
    return summaries;
  }

  /** Empty: it is not there, damaged, or of another sweep. */
  private Optional<Shard> read(int task) {
    Path file = file(task);
    try {
      Shard shard =
          Json.read(Files.readString(file), Shard.class, file.toString(), "run the task again");
      boolean own = sweep.equals(shard.sweep()) && task == shard.task();
      return own ? Optional.of(shard) : Optional.empty();
    } catch (GresException damaged) {
      return Optional.empty();
    } catch (IOException problem) {
      if (Files.exists(file)) {
        throw new SimulatorException(
            file + ": cannot be read (" + IoReason.of(problem) + ")", "check who may read it");
      }
      return Optional.empty();
    }
  }

  private Path file(int task) {
    return folder.resolve("shard-" + task + ".json");
  }
}
