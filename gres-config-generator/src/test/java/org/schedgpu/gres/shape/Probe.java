package org.schedgpu.gres.shape;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.schedgpu.minicluster.ClusterPaths;
import org.schedgpu.minicluster.SlurmCommands;

/** Jobs that report their virtual GPUs, and the devices that they may open. */
final class Probe {
  /** The devices have no driver: the error shows whether the job may open them. */
  private static final String SCRIPT =
      """
      #!/bin/bash
      echo "gpus ${SLURM_JOB_GPUS:-$SLURM_STEP_GPUS}"
      for file in %1$s/* %1$s/*/*; do
        [ -c "$file" ] && : < "$file"
      done 2>&1
      echo end
      [ $# = 0 ] || read -r < "$1"
      """;

  private static final String DENIED = ": Operation not permitted";
  private static final String ALLOWED = ": No such device or address";

  private final ClusterPaths paths;
  private final SlurmCommands commands;
  private final Path script;
  private final Function<String, Set<String>> devicesOfNode;
  private int gates;

  /** The results of a job: {@code SLURM_JOB_GPUS}, and the devices that it may open, sorted. */
  record Seen(String gpus, List<String> devices) {}

  /**
   * @param devicesOfNode the devices of a host with that name; here all nodes share the devices
   */
  Probe(ClusterPaths paths, SlurmCommands commands, Function<String, Set<String>> devicesOfNode)
      throws IOException {
    this.paths = paths;
    this.devicesOfNode = devicesOfNode;
    this.commands = commands;
    script = paths.files().resolve("probe");
    Files.writeString(script, SCRIPT.formatted(paths.devices()));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** One job. */
  Seen run(String node, List<String> options) throws IOException, InterruptedException {
    Process job = srun(node, options, null);
    Seen seen = seen(node, output(job));
    job.waitFor();
    return seen;
  }

  /** Several equal jobs; all have started before the first one ends. */
  List<Seen> runTogether(String node, List<String> options, int count)
      throws IOException, InterruptedException {
    Path gate = paths.files().resolve("gate" + gates++);
    new ProcessBuilder("mkfifo", gate.toString()).start().waitFor();
    List<Process> jobs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      jobs.add(srun(node, options, gate));
    }
    List<Seen> seen = new ArrayList<>();
    for (Process job : jobs) {
      seen.add(seen(node, output(job)));
    }
    // Stays open, so that later readers also get what the first ones leave.
    try (RandomAccessFile held = new RandomAccessFile(gate.toFile(), "rw")) {
      held.writeBytes("\n".repeat(count));
      for (Process job : jobs) {
        job.waitFor();
      }
    }
    return seen;
  }

  private Process srun(String node, List<String> options, Path gate) throws IOException {
    List<String> words = new ArrayList<>(List.of("srun", "-Q", "-n1", "-w", node));
    words.addAll(options);
    words.add(script.toString());
    if (gate != null) {
      words.add(gate.toString());
    }
    return commands.prepare(words).redirectErrorStream(true).start();
  }

  private static List<String> output(Process job) {
    List<String> lines = new ArrayList<>();
    BufferedReader reader = new BufferedReader(new InputStreamReader(job.getInputStream(), UTF_8));
    try {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (line.equals("end")) {
          return lines;
        }
        lines.add(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new AssertionError("the job ended early: " + lines);
  }

  private Seen seen(String node, List<String> lines) {
    String gpus = "";
    List<String> devices = new ArrayList<>();
    for (String line : lines) {
      if (line.startsWith("gpus ")) {
        gpus = line.substring("gpus ".length());
      } else if (line.endsWith(ALLOWED)) {
        int start = line.indexOf(paths.devices() + "/") + paths.devices().toString().length() + 1;
        devices.add(line.substring(start, line.length() - ALLOWED.length()));
      } else if (!line.endsWith(DENIED)) {
        throw new AssertionError("job on " + node + ": " + lines);
      }
    }
    devices.retainAll(devicesOfNode.apply(node));
    Collections.sort(devices);
    return new Seen(gpus.strip(), devices);
  }
}
