package org.schedgpu.gres.conf;

import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/** One node as slurmctld reads it from slurm.conf. Immutable. */
public final class SlurmNode {
  private final String name;
  private final String hostname;
  private final String address;
  private final int port;
  private final ConfLine line;
  private final DefaultLines.Settings settings;

  SlurmNode(
      String name,
      String hostname,
      String address,
      int port,
      ConfLine line,
      DefaultLines.Settings settings) {
    this.name = name;
    this.hostname = hostname;
    this.address = address;
    this.port = port;
    this.line = line;
    this.settings = settings;
  }

  public String name() {
    return name;
  }

  /** NodeHostname. */
  public String hostname() {
    return hostname;
  }

  /** NodeAddr. */
  public String address() {
    return address;
  }

  /** slurmd's port. */
  public int port() {
    return port;
  }

  /** The line that defines the node, perhaps together with others. */
  public ConfLine line() {
    return line;
  }

  /** Gres=, of the line or of a DEFAULT line. */
  public Optional<Setting> gres() {
    return settings.get("Gres");
  }

  /** CPUs=, or its old name Procs=; a default CPUs= goes before the line's own Procs=. */
  public Optional<Setting> cpus() {
    return settings.get("CPUs").or(() -> settings.get("Procs"));
  }

  /** The number of CPUs, as slurmctld computes it; empty if slurm.conf does not say it. */
  public OptionalInt cpuCount() {
    OptionalInt cores = socketCores();
    return number(cpus())
        .or(() -> cores.isEmpty() ? Optional.empty() : Optional.of(cores.getAsInt() * threads()))
        .map(OptionalInt::of)
        .orElse(OptionalInt.empty());
  }

  /** The number of cores, likewise. */
  public OptionalInt coreCount() {
    OptionalInt cores = socketCores();
    return cores.isPresent()
        ? cores
        : number(cpus()).map(n -> OptionalInt.of(n / threads())).orElse(OptionalInt.empty());
  }

  /** CoresPerSocket=; empty if slurm.conf does not say it. */
  public OptionalInt coresPerSocket() {
    return number(setting("CoresPerSocket")).map(OptionalInt::of).orElse(OptionalInt.empty());
  }

  private OptionalInt socketCores() {
    Optional<Integer> sockets =
        number(setting("Sockets"))
            .or(
                () ->
                    number(setting("SocketsPerBoard"))
                        .map(n -> n * number(setting("Boards")).orElse(1)));
    return sockets
        .map(n -> OptionalInt.of(n * coresPerSocket().orElse(1)))
        .orElse(OptionalInt.empty());
  }

  private int threads() {
    return number(setting("ThreadsPerCore")).orElse(1);
  }

  private static Optional<Integer> number(Optional<Setting> setting) {
    return setting
        .map(Setting::value)
        .filter(value -> value.matches("[1-9][0-9]{0,4}"))
        .map(Integer::valueOf);
  }

  /** Feature= or Features=, the line's own before a default one. */
  public Optional<Setting> featureSetting() {
    return settings
        .own("Feature")
        .or(() -> settings.own("Features"))
        .or(() -> settings.inherited("Feature"))
        .or(() -> settings.inherited("Features"));
  }

  /** The list of features. */
  public List<String> features() {
    return featureSetting()
        .map(s -> Arrays.stream(s.value().split(",", -1)).filter(f -> !f.isEmpty()).toList())
        .orElse(List.of());
  }

  /** All keys except the node's name, with the values of {@link #setting}; case does not matter. */
  public NavigableMap<String, String> values() {
    NavigableMap<String, String> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    settings.defaults().forEach((key, setting) -> values.put(key, setting.value()));
    settings.own().forEach((key, setting) -> values.put(key, setting.value()));
    return values;
  }

  /** The value of any other key, by the same rule as for Gres=. */
  public Optional<Setting> setting(String key) {
    return settings.get(key);
  }
}
