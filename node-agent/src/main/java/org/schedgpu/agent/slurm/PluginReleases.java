package org.schedgpu.agent.slurm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.schedgpu.agent.problem.Finding;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.conf.PlugStack;
import org.schedgpu.gres.conf.PlugStackLine;

/**
 * Checks whether the installed Slurm loads the plugins that plugstack.conf names, and ours in time.
 * Slurm refuses a plugin of another release, and with a required one slurmd does not start.
 */
public final class PluginReleases {
  private static final String WHAT = "plugin";

  private PluginReleases() {}

  /**
   * A finding for each plugin; none without Slurm, or without a plugin in plugstack.conf.
   *
   * @param version of the Slurm that loads them
   */
  public static List<Finding> check(Path slurmConf, Supplier<Optional<SlurmVersion>> version) {
    try {
      List<PlugStackLine> lines = PlugStack.read(SlurmSetup.plugStackFile(slurmConf)).plugins();
      Optional<SlurmVersion> slurm = lines.isEmpty() ? Optional.empty() : version.get();
      if (slurm.isEmpty()) {
        return List.of();
      }
      Optional<Path> folder = SlurmSetup.value(slurmConf, "plugindir").map(Path::of);
      return Stream.concat(
              lines.stream().flatMap(line -> check(line, folder, slurm.get()).stream()),
              order(lines).stream())
          .toList();
    } catch (GresException problem) {
      return List.of(
          Finding.problem(WHAT, problem.getMessage(), "correct that: Slurm reads the file"));
    } catch (IOException unreadable) {
      return List.of(); // the check of slurm.conf reports it
    }
  }

  /** Pyxis enters the container in the hook in which ours looks for the job's files. */
  private static Optional<Finding> order(List<PlugStackLine> lines) {
    List<String> names =
        lines.stream()
            .map(line -> "" + Path.of(line.plugin().orElseThrow()).getFileName())
            .toList();
    int pyxis = names.indexOf("spank_pyxis.so");
    return pyxis < 0 || names.lastIndexOf("schedgpu.so") < pyxis
        ? Optional.empty()
        : Optional.of(
            Finding.problem(
                WHAT,
                "plugstack.conf has schedgpu.so behind spank_pyxis.so: programs in containers of"
                    + " Pyxis run unscheduled",
                "move the line of schedgpu.so before that of Pyxis"));
  }

  /** Empty if the plugin has no path and slurm.conf does not name the folder. */
  private static Optional<Finding> check(
      PlugStackLine line, Optional<Path> folder, SlurmVersion slurm) {
    Path named = Path.of(line.plugin().orElseThrow());
    Optional<Path> plugin =
        named.isAbsolute() ? Optional.of(named) : folder.map(dir -> dir.resolve(named));
    return plugin.map(path -> check(path, line.required(), slurm));
  }

  private static Finding check(Path plugin, boolean required, SlurmVersion slurm) {
    if (!Files.isReadable(plugin)) {
      return refused(
          plugin + " is not there or not readable", required, "install schedgpu-slurm again");
    }
    OptionalInt number = number(plugin);
    if (number.isEmpty()) {
      return refused(plugin + " is no plugin of Slurm's", required, "install it again");
    }
    SlurmVersion built = SlurmVersion.ofNumber(number.getAsInt());
    return built.equals(slurm)
        ? Finding.ok(WHAT, plugin + " is built for Slurm " + slurm)
        : refused(
            "%s is built for Slurm %s, and this is Slurm %s".formatted(plugin, built, slurm),
            required,
            "install the one for Slurm %s (schedgpu-slurm, or build it with its headers)"
                    .formatted(slurm)
                + " before slurmd is started again");
  }

  private static OptionalInt number(Path plugin) {
    try {
      return PluginVersion.of(plugin);
    } catch (IOException unreadable) {
      return OptionalInt.empty();
    }
  }

  private static Finding refused(String why, boolean required, String todo) {
    return Finding.problem(
        WHAT,
        why + (required ? ": slurmd does not start with it" : ": Slurm continues without it"),
        todo);
  }
}
