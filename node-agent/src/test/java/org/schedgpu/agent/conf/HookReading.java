package org.schedgpu.agent.conf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.schedgpu.agent.problem.AgentException;

/**
 * A configuration file that is read twice: here, and by the hooks and the plugin in C. What the one
 * takes the other must not refuse, or a configuration that was checked drains the node.
 */
final class HookReading {
  private static final Path PROLOG =
      Path.of(System.getProperty("schedgpu.root"), "slurm-prolog/target/native/schedgpu-prolog");

  private final Path folder;
  private final String file;
  private final Pattern place;

  /** The lines that are wrong, 0 for the whole file, and what was said. */
  record Said(SortedSet<Integer> lines, String text) {}

  /**
   * Of a file.
   *
   * @param folder of slurm.conf, schedgpu.conf and devices.conf
   */
  HookReading(Path folder, String file) {
    this.folder = folder;
    this.file = file;
    this.place = Pattern.compile(Pattern.quote(file) + ":(\\d+): ");
  }

  private Said said(String text) {
    SortedSet<Integer> lines = new TreeSet<>();
    place.matcher(text).results().forEach(found -> lines.add(Integer.parseInt(found.group(1))));
    if (text.contains("/" + file + ": ")) {
      lines.add(0);
    }
    return new Said(lines, text);
  }

  /** What is wrong when this reads it. */
  Said here(Runnable reads) {
    try {
      reads.run();
      return said("");
    } catch (AgentException problem) {
      return said(problem.getMessage());
    }
  }

  /** It says what is wrong with the configuration before anything else. */
  Said byTheProlog() throws IOException, InterruptedException {
    Path output = folder.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(PROLOG.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().clear();
    builder
        .environment()
        .putAll(
            Map.of(
                "SLURM_CONF", folder.resolve("slurm.conf").toString(),
                "SLURM_JOB_ID", "1",
                "SLURM_JOB_UID", "0",
                "SLURM_JOB_GPUS", "0",
                "SLURMD_NODENAME", "gpu1"));
    builder.start().waitFor();
    return said(Files.readString(output));
  }

  static Random random(Class<?> test) {
    long seed = Long.getLong("schedgpu.seed", System.nanoTime());
    System.out.println(test.getSimpleName() + " seed " + seed + " (-Dschedgpu.seed=... repeats)");
    return new Random(seed);
  }

  static <T> T any(List<T> all, Random random) {
    return all.get(random.nextInt(all.size()));
  }
}
