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
import java.util.stream.Stream;
import org.schedgpu.agent.problem.Finding;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.Glob;
import org.schedgpu.gres.conf.PlugStack;
import org.schedgpu.gres.conf.PlugStackLine;

/** Checks whether slurm.conf and plugstack.conf run our prolog, epilog and SPANK plugin. */
public final class SlurmSetup {
  private static final Path DEFAULT_PATH = Path.of("/etc/slurm/slurm.conf");

  /** Where slurmd keeps the files of configless Slurm; the first is a link that it makes. */
  private static final List<Path> CONFIGLESS =
      Stream.of(
              "/run/slurm/conf", "/var/spool/slurmd/conf-cache", "/var/lib/slurm/slurmd/conf-cache")
          .map(folder -> Path.of(folder, "slurm.conf"))
          .toList();

  private static final String US = "schedgpu";
  private static final String PLUGIN = "schedgpu.so";
  private static final int MAX_INCLUDES = 8;

  private SlurmSetup() {}

  /** slurm.conf of this node, if there is one, in the order of Slurm's commands. */
  public static Optional<Path> find(Map<String, String> environment) {
    return find(environment, Stream.concat(Stream.of(DEFAULT_PATH), CONFIGLESS.stream()).toList());
  }

  static Optional<Path> find(Map<String, String> environment, List<Path> places) {
    String named = environment.getOrDefault("SLURM_CONF", "");
    return named.isEmpty()
        ? places.stream().filter(Files::exists).findFirst()
        : Optional.of(Path.of(named));
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
        if (depth < MAX_INCLUDES && Files.isReadable(included)) {
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
    String what = key.toLowerCase(Locale.ROOT);
    String program = US + "-" + what;
    List<String> ours = new ArrayList<>();
    for (String named : values.getOrDefault(what, List.of())) {
      List<Path> files = files(slurmConf, named);
      for (Path file : files) {
        HookProgram hook = HookProgram.of(file, program);
        if (hook.problem().isPresent()) {
          return Finding.problem(
              what,
              "%s names %s, %s".formatted(slurmConf, file, hook.problem().get()),
              "correct %s=: Slurm drains the node when it cannot run it".formatted(key));
        }
        if (hook.calls()) {
          ours.add(named);
        }
      }
    }
    return ours.isEmpty()
        ? Finding.problem(
            what,
            slurmConf + " has no " + key + " that calls " + program,
            "add " + key + "= of slurm-schedgpu.conf, which schedgpu gres plan writes")
        : Finding.ok(what, slurmConf + " names " + ours.get(0));
  }

  /** A pattern may match no file. Slurm resolves a relative name beside slurm.conf. */
  private static List<Path> files(Path slurmConf, String named) {
    Path folder = slurmConf.toAbsolutePath().getParent();
    boolean pattern = named.chars().anyMatch(c -> "*?[".indexOf(c) >= 0);
    return pattern ? Glob.find(folder, named) : List.of(folder.resolve(named));
  }

  private static Finding plugStack(Path slurmConf, Map<String, List<String>> values) {
    Path file = plugStackFile(slurmConf, values);
    try {
      for (PlugStackLine line : PlugStack.read(file).plugins()) {
        Path plugin = Path.of(line.plugin().orElseThrow());
        if (plugin.endsWith(PLUGIN)) {
          return plugin.isAbsolute() && Files.notExists(plugin)
              ? Finding.problem(
                  "spank",
                  "%s names %s, which is not there".formatted(line.place().file(), plugin),
                  "install schedgpu-slurm, or correct the line")
              : Finding.ok("spank", line.place().file() + " loads the plugin");
        }
      }
    } catch (GresException problem) {
      return Finding.problem("spank", problem.getMessage(), "correct that: Slurm reads the file");
    }
    return Finding.problem(
        "spank",
        file + " does not load the schedgpu plugin",
        "add the line of slurm-schedgpu.conf, which schedgpu gres plan writes, to it");
  }
}
