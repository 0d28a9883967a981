package org.schedgpu.gres.site;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;

/**
 * What goes into the slurm.conf lines beside the counts. Immutable, so safe for use by several
 * threads.
 *
 * @param plugStackConfig path of plugstack.conf; empty: a comment says what is needed
 * @param prolog path of schedGPU's prolog; empty: as above
 * @param epilog path of schedGPU's epilog; empty: as above
 * @param prologEpilogTimeoutSeconds 1 to 65533; larger than HookTimeout of schedgpu.conf, because
 *     Slurm drains the node when it is reached
 * @param nodeParameters by node name, the rest of the node's line ({@code CPUs=16
 *     RealMemory=4000}); without it the line has Gres= only
 */
public record SlurmConfSettings(
    Optional<String> plugStackConfig,
    Optional<String> prolog,
    Optional<String> epilog,
    int prologEpilogTimeoutSeconds,
    Map<String, String> nodeParameters) {

  /** Default of {@link #prologEpilogTimeoutSeconds}; the default of Slurm is to wait forever. */
  public static final int DEFAULT_TIMEOUT_SECONDS = 60;

  private static final int MAX_TIMEOUT_SECONDS = 65533;
  private static final Pattern OURS = Pattern.compile("(?i)(^|\\s)(NodeName|Gres)\\s*=");

  /**
   * @throws GresException if a path or time is not usable, or a node parameter is one of ours
   */
  public SlurmConfSettings {
    plugStackConfig.ifPresent(path -> Check.path("PlugStackConfig", path));
    prolog.ifPresent(path -> Check.path("Prolog", path));
    epilog.ifPresent(path -> Check.path("Epilog", path));
    Check.range("PrologEpilogTimeout", prologEpilogTimeoutSeconds, 1, MAX_TIMEOUT_SECONDS);
    nodeParameters = Map.copyOf(nodeParameters);
    nodeParameters.forEach(SlurmConfSettings::checkParameters);
  }

  /** No paths, the default time-out, no node parameters. */
  public static SlurmConfSettings defaults() {
    return new SlurmConfSettings(
        Optional.empty(), Optional.empty(), Optional.empty(), DEFAULT_TIMEOUT_SECONDS, Map.of());
  }

  /** With the path of plugstack.conf. */
  public SlurmConfSettings withPlugStackConfig(String path) {
    return new SlurmConfSettings(
        Optional.of(path), prolog, epilog, prologEpilogTimeoutSeconds, nodeParameters);
  }

  /** With the paths of prolog and epilog. */
  public SlurmConfSettings withHooks(String prologPath, String epilogPath) {
    return new SlurmConfSettings(
        plugStackConfig,
        Optional.of(prologPath),
        Optional.of(epilogPath),
        prologEpilogTimeoutSeconds,
        nodeParameters);
  }

  /** With another PrologEpilogTimeout, in seconds. */
  public SlurmConfSettings withPrologEpilogTimeout(int seconds) {
    return new SlurmConfSettings(plugStackConfig, prolog, epilog, seconds, nodeParameters);
  }

  /** With the remaining parameters of one more node's line. */
  public SlurmConfSettings withNodeParameters(String nodeName, String parameters) {
    Map<String, String> all = new TreeMap<>(nodeParameters);
    all.put(nodeName, parameters);
    return new SlurmConfSettings(plugStackConfig, prolog, epilog, prologEpilogTimeoutSeconds, all);
  }

  private static void checkParameters(String nodeName, String parameters) {
    if (parameters.isBlank() || parameters.chars().anyMatch(SlurmConfSettings::endsLine)) {
      throw new GresException(
          "node %s, parameters %s are not one line of Key=Value"
              .formatted(nodeName, Check.quoted(parameters)),
          "use one line without '#', such as CPUs=16 RealMemory=4000");
    }
    if (OURS.matcher(parameters).find()) {
      throw new GresException(
          "node %s, parameters %s have NodeName= or Gres="
              .formatted(nodeName, Check.quoted(parameters)),
          "leave them out; they are written from the plan");
    }
  }

  private static boolean endsLine(int character) {
    return character == '#' || character == '\\' || Character.isISOControl(character);
  }
}
