package org.schedgpu.agent.slurm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.schedgpu.agent.problem.Finding;

/** Checks whether slurm.conf names our Prolog, Epilog and SPANK plugin. */
public final class SlurmSetup {
  private static final Path DEFAULT_PATH = Path.of("/etc/slurm/slurm.conf");
  private static final String US = "schedgpu";
  private static final int MOST_BYTES = 1 << 20;
  private static final int MOST_INCLUDES = 8;

  private SlurmSetup() {}

  /** slurm.conf of this node, if there is one. */
  public static Optional<Path> find(Map<String, String> environment) {
    String named = environment.getOrDefault("SLURM_CONF", "");
    Path path = named.isEmpty() ? DEFAULT_PATH : Path.of(named);
    return named.isEmpty() && !Files.exists(path) ? Optional.empty() : Optional.of(path);
  }

  /** A finding for each of the three; a single one if the file cannot be read. */
  public static List<Finding> check(Path slurmConf) {
    Map<String, List<String>> values;
    try {
      values = read(slurmConf);
    } catch (IOException problem) {
      return List.of(Finding.problem("slurm", slurmConf + " cannot be read", "check SLURM_CONF"));
    }
    List<Finding> findings = new ArrayList<>();
    findings.add(hook("Prolog", slurmConf, values));
    findings.add(hook("Epilog", slurmConf, values));
    findings.add(plugStack(slurmConf, values));
    return findings;
  }

  /**
   * The plugstack.conf of this slurm.conf, whether or not it exists.
   *
   * @throws IOException if slurm.conf cannot be read
   */
  static Path plugStackFile(Path slurmConf) throws IOException {
    return plugStackFile(slurmConf, read(slurmConf));
  }

  /**
   * The last value of a key of slurm.conf; empty if absent.
   *
   * @param key in lower case
   * @throws IOException if slurm.conf cannot be read
   */
  static Optional<String> value(Path slurmConf, String key) throws IOException {
    return last(read(slurmConf), key);
  }

  private static Map<String, List<String>> read(Path slurmConf) throws IOException {
    Map<String, List<String>> values = new TreeMap<>();
    read(slurmConf, values, 0);
    return values;
  }

  private static Optional<String> last(Map<String, List<String>> values, String key) {
    List<String> all = values.getOrDefault(key, List.of());
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
  }

  private static Path plugStackFile(Path slurmConf, Map<String, List<String>> values) {
    return last(values, "plugstackconfig")
        .map(Path::of)
        .orElse(slurmConf.resolveSibling("plugstack.conf"));
  }

  /** Values by key in lower case, with those of included files. */
  private static void read(Path file, Map<String, List<String>> values, int depth)
      throws IOException {
    for (String raw : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
      String line = raw.replaceFirst("#.*", "").strip();
      String[] include = line.split("\\s+", 2);
      if (include[0].equalsIgnoreCase("include") && include.length == 2) {
        Path included = file.resolveSibling(include[1]);
        if (depth < MOST_INCLUDES && Files.isReadable(included)) {
          read(included, values, depth + 1);
        }
      }
      String[] pair = line.split("=", 2);
      if (pair.length == 2) {
        values
            .computeIfAbsent(pair[0].strip().toLowerCase(Locale.ROOT), key -> new ArrayList<>())
            .add(pair[1].strip());
      }
    }
  }

  private static Finding hook(String key, Path slurmConf, Map<String, List<String>> values) {
    List<String> named = values.getOrDefault(key.toLowerCase(Locale.ROOT), List.of());
    boolean ours = named.stream().anyMatch(SlurmSetup::isOurs);
    String what = key.toLowerCase(Locale.ROOT);
    return ours
        ? Finding.ok(what, slurmConf + " names " + named.get(0))
        : Finding.problem(
            what,
            slurmConf + " has no " + key + " that calls schedgpu",
            "add " + key + "= of slurm-schedgpu.conf, which schedgpu gres plan writes");
  }

  private static Finding plugStack(Path slurmConf, Map<String, List<String>> values) {
    Path file = plugStackFile(slurmConf, values);
    return mentionsUs(file)
        ? Finding.ok("spank", file + " loads the plugin")
        : Finding.problem(
            "spank",
            file + " does not load the schedgpu plugin",
            "add the line of slurm-schedgpu.conf, which schedgpu gres plan writes, to it");
  }

  /** True for our program, or a script that calls it. */
  private static boolean isOurs(String hook) {
    return hook.contains(US) || mentionsUs(Path.of(hook));
  }

  private static boolean mentionsUs(Path file) {
    try {
      return Files.isRegularFile(file)
          && Files.size(file) <= MOST_BYTES
          && Files.readString(file, StandardCharsets.ISO_8859_1).contains(US);
    } catch (IOException unreadable) {
      return false;
    }
  }
}
