package org.schedgpu.gres.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.IoReason;
import org.schedgpu.gres.common.LuaCheck;
import org.schedgpu.gres.common.Subprocess;
import org.schedgpu.gres.conf.GresSpec;

/**
 * Lets the installed slurmd read new files before they are put in place: {@code slurmd -G} prints
 * the GPUs of a node and exits. It reads a copy of the configuration and contacts no daemon.
 * slurmctld of 22.05 has no such option.
 */
public final class SlurmCheck {
  private static final String CLI_FILTER = "cli_filter.lua";
  private static final int MAX_NODES = 16;
  private static final int LIMIT_SECONDS = 20;
  private static final Pattern GRES =
      Pattern.compile("Gres Name=gpu Type=(\\S+) Count=([0-9]+) .*");

  /** The prefix of slurmd's lines: "slurmd: " up to 24.11, a time in brackets from 25.05 on. */
  private static final Pattern PREFIX = Pattern.compile("^(?:slurmd[^:]*: |\\[[^\\]]*\\] )+");

  private static final Pattern COMPLAINT = Pattern.compile("(error|fatal|WARNING|warning): .*");

  /** Messages about the host or cgroup.conf, in spite of which slurmd starts. */
  private static final Pattern HARMLESS =
      Pattern.compile("(?i).*(deprecated|defunct|no longer supported).*");

  private final Path slurmd;

  SlurmCheck(Path slurmd) {
    this.slurmd = slurmd;
  }

  /**
   * The check with the slurmd of this host.
   *
   * @throws GresException if Slurm is not installed here
   */
  public static SlurmCheck installed() {
    return installed(foldersOf(System.getenv().getOrDefault("PATH", "")));
  }

  public static SlurmCheck installed(List<Path> folders) {
    return in(folders)
        .orElseThrow(
            () ->
                new GresException(
                    "--check needs slurmd, which is neither in PATH nor in /usr/sbin",
                    "repeat on a host with Slurm, or without --check (rollout: --no-check)"));
  }

  /**
   * The folders of PATH, and those where Slurm installs slurmd, which are not in every user's PATH.
   */
  private static List<Path> foldersOf(String pathVariable) {
    return Stream.of((pathVariable + ":/usr/sbin:/usr/local/sbin").split(":", -1))
        .filter(folder -> !folder.isEmpty())
        .map(Path::of)
        .toList();
  }

  private static Optional<SlurmCheck> in(List<Path> folders) {
    return folders.stream()
        .map(folder -> folder.resolve("slurmd"))
        .filter(Files::isExecutable)
        .findFirst()
        .map(SlurmCheck::new);
  }

  /**
   * Lets slurmd read the folder with the new files.
   *
   * @param gresByNode the expected GPUs of each node, {@code gpu:k20m:12}
   * @return what was checked, one line each
   * @throws GresException with all complaints of slurmd
   */
  public List<String> run(Path folder, Map<String, byte[]> files, Map<String, String> gresByNode) {
    Map<String, String> some = new LinkedHashMap<>();
    gresByNode.entrySet().stream()
        .limit(MAX_NODES)
        .forEach(node -> some.put(node.getKey(), node.getValue()));
    List<String> complaints = new ArrayList<>();
    List<String> checked = new ArrayList<>();
    lua(files).ifPresent(checked::add);
    try (CheckFolder copy = CheckFolder.make(folder, files);
        UnrelatedComplaints anyway =
            new UnrelatedComplaints(folder, (node, old) -> said(old, output(node, old)))) {
      for (Map.Entry<String, String> node : some.entrySet()) {
        complaints.addAll(complaints(node.getKey(), node.getValue(), copy, anyway));
        checked.add("slurmd -G reads " + node.getValue() + " of node " + node.getKey());
      }
      checked.addAll(anyway.lines());
    } catch (IOException e) {
      throw new GresException(
          "--check cannot be done (" + IoReason.of(e) + ")",
          "correct that, or repeat without --check",
          e);
    }
    if (!complaints.isEmpty()) {
      throw new GresException(
          "slurmd would not accept the files, nothing was changed",
          "correct this and repeat\n" + String.join("\n", complaints));
    }
    if (some.size() < gresByNode.size()) {
      checked.add("the first %d of %d nodes".formatted(some.size(), gresByNode.size()));
    }
    return checked;
  }

  /** Slurm's commands read cli_filter.lua; here it is only compiled. */
  private static Optional<String> lua(Map<String, byte[]> files) {
    byte[] script = files.getOrDefault(CLI_FILTER, new byte[0]);
    if (script.length == 0) {
      return Optional.empty();
    }
    Optional<LuaCheck> lua = LuaCheck.installed();
    if (lua.isEmpty()) {
      return Optional.of(CLI_FILTER + " was not read: no Lua is installed here (lua5.4)");
    }
    Optional<String> broken = lua.get().load(CLI_FILTER, script, false).broken();
    if (broken.isPresent()) {
      throw LuaCheck.refusal(broken.get());
    }
    return Optional.of("Lua reads " + CLI_FILTER);
  }

  private List<String> complaints(
      String node, String gres, CheckFolder copy, UnrelatedComplaints anyway) throws IOException {
    List<String> lines = output(node, copy);
    return complaints(node, gres, lines, anyway.without(node, said(copy, lines), copy));
  }

  /**
   * The problems in the output of slurmd -G.
   *
   * @param gres the expected GPUs of the node
   * @param lines the output of slurmd -G
   */
  static List<String> complaints(String node, String gres, List<String> lines) {
    return complaints(node, gres, lines, said(lines).toList());
  }

  private static List<String> complaints(
      String node, String gres, List<String> lines, List<String> said) {
    List<String> complaints = new ArrayList<>();
    said.forEach(words -> complaints.add(node + ": " + words));
    if (said.stream().anyMatch(words -> words.startsWith("fatal: "))) {
      return complaints.stream().distinct().toList(); // slurmd counted nothing
    }
    Map<String, Long> countByType = new LinkedHashMap<>();
    for (String line : lines) {
      Matcher found = GRES.matcher(withoutPrefix(line));
      if (found.matches()) {
        countByType.merge(found.group(1), Long.parseLong(found.group(2)), Long::sum);
      }
    }
    for (GresSpec spec : GresSpec.parse(gres)) {
      String type = spec.type().orElse("(null)");
      long count = countByType.getOrDefault(type, 0L);
      if (spec.name().equals("gpu") && count != spec.count()) {
        complaints.add(
            "%s: slurmd sees %d of gpu:%s%d: Gres= of the node in slurm.conf must be %s"
                .formatted(
                    node,
                    count,
                    spec.type().map(name -> name + ":").orElse(""),
                    spec.count(),
                    gres));
      }
    }
    return complaints.stream().distinct().toList();
  }

  /** The lines of slurmd's output that are complaints. */
  private static Stream<String> said(List<String> lines) {
    return lines.stream()
        .map(SlurmCheck::withoutPrefix)
        .filter(words -> COMPLAINT.matcher(words).matches())
        .filter(words -> !HARMLESS.matcher(words).matches());
  }

  /** As above, with the real paths of the files. */
  private static List<String> said(CheckFolder copy, List<String> lines) {
    return said(lines).map(copy::withRealPaths).toList();
  }

  private static String withoutPrefix(String line) {
    return PREFIX.matcher(line).replaceFirst("");
  }

  private List<String> output(String node, CheckFolder copy) throws IOException {
    String conf = copy.slurmConf().toString();
    Subprocess.Result result =
        Subprocess.of(slurmd.toString(), "-G", "-f", conf, "-N", node)
            .environment(variables -> variables.put("SLURM_CONF", conf))
            .merged()
            .detached()
            .charset(StandardCharsets.ISO_8859_1)
            .run(Duration.ofSeconds(LIMIT_SECONDS));
    List<String> lines = new ArrayList<>();
    result.problem().ifPresent(why -> lines.add("error: slurmd -G " + why));
    result.out().lines().forEach(lines::add);
    return lines;
  }
}
