package org.schedgpu.gres.verify;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.conf.GresConfig;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmConfig;
import org.schedgpu.gres.files.OutdatedLinks;

/** Checks the folder's slurm.conf, and whether slurmctld reads this one. */
final class ConfCheck {
  private static final String GRES_TYPES = "GresTypes";
  private final Path slurmConf;
  private Optional<SlurmConfig> config = Optional.empty();
  private final List<Finding> findings = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  ConfCheck(Path folder) {
    slurmConf = folder.resolve("slurm.conf");
  }

  List<Finding> findings() {
    return findings;
  }

  void read() {
    try {
      config = Optional.of(SlurmConfig.read(slurmConf));
    } catch (GresException e) {
      findings.add(Finding.ofCluster(MessageText.problem(e), "correct that: Slurm reads it"));
      return;
    }
    boolean hasGpu =
        config
            .flatMap(c -> c.setting(GRES_TYPES))
            .map(Setting::value)
            .map(this::hasGpu)
            .orElse(false);
    if (!hasGpu) {
      findings.add(
          Finding.ofCluster(slurmConf + " has no gpu in GresTypes", "add GresTypes=gpu to it"));
    }
  }

  /** Notes on the release of slurmctld. */
  List<String> notes() {
    return notes;
  }

  /** Gres= of a node; empty if the file could not be read or has no such node. */
  Optional<String> gres(String node) {
    return config.flatMap(c -> c.node(node)).map(n -> n.gres().map(Setting::value).orElse(""));
  }

  /**
   * @param settings the settings that slurmctld uses
   */
  void compare(Map<String, String> settings) {
    String used = settings.getOrDefault("SLURM_CONF", "");
    if (!used.isEmpty() && !same(Path.of(used), slurmConf)) {
      findings.add(
          Finding.ofCluster(
              "slurmctld reads " + used + ", not " + slurmConf,
              "name the folder that it reads with --folder, or put the files there"));
    }
    Optional.ofNullable(settings.get("SLURM_VERSION")).ifPresent(this::links);
    if (!hasGpu(settings.getOrDefault(GRES_TYPES, "gpu"))) {
      findings.add(
          Finding.ofCluster(
              "slurmctld has GresTypes=" + settings.get(GRES_TYPES),
              "add gpu to GresTypes in slurm.conf and restart slurmctld and every slurmd"));
    }
  }

  /** True if gres.conf was written for the Slurm that reads it. */
  private void links(String version) {
    Path gresConf = slurmConf.resolveSibling("gres.conf");
    try {
      if (Files.exists(gresConf)) {
        SlurmVersion release = SlurmVersion.parse(version);
        OutdatedLinks.of(gresConf, release)
            .ifPresent(old -> findings.add(Finding.ofCluster(old.what(), old.action())));
        boolean links =
            GresConfig.read(gresConf).lines().stream().anyMatch(l -> l.links().isPresent());
        release.linksNote().filter(note -> links).ifPresent(notes::add);
      }
    } catch (GresException e) {
      findings.add(Finding.ofCluster(MessageText.problem(e), "correct that: slurmd reads it"));
    }
  }

  private boolean hasGpu(String types) {
    return List.of(types.split(",", -1)).contains("gpu");
  }

  /** slurmctld may run on another host, where the file has the same name. */
  private static boolean same(Path one, Path other) {
    try {
      return one.equals(other.toAbsolutePath().normalize()) || Files.isSameFile(one, other);
    } catch (java.io.IOException e) {
      return false;
    }
  }
}
