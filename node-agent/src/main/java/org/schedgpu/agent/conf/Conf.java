package org.schedgpu.agent.conf;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.ConfText;
import org.schedgpu.jna.DeadlockRule;
import org.schedgpu.jna.Policy;
import org.schedgpu.jna.Units;

/** schedgpu.conf, checked, with defaults for what it does not say. Immutable. */
public final class Conf {
  /** Where schedgpu.conf is unless {@code --conf} names another. */
  static final Path DEFAULT_PATH = Path.of("/etc/schedgpu/schedgpu.conf");

  /** DefaultMem that depends on the job. */
  private static final String LEARNED = "learned";

  private static final String DEVICES_FILE = "devices.conf";
  private static final Path USUAL_RUN_DIR = Path.of("/run/schedgpu");
  private static final Path USUAL_HISTORY = Path.of("/var/lib/schedgpu/history.db");

  private final Path file;
  private final String source;
  private final Map<String, ConfText.Value> values;

  private Conf(Path file, String source) {
    this.file = file;
    this.source = source;
    this.values = ConfText.parse(file.toString(), source);
  }

  /** The defaults, as if the file at the default place were empty. */
  static Conf defaults() {
    return parse(DEFAULT_PATH, List.of());
  }

  /**
   * Where plugin and hooks look, too: beside SLURM_CONF, so that a second cluster on the host has
   * its own; else the default place.
   */
  static Path usualPlace(Map<String, String> environment) {
    String slurmConf = environment.getOrDefault("SLURM_CONF", "");
    Path beside = Path.of(slurmConf).resolveSibling(DEFAULT_PATH.getFileName());
    return !slurmConf.isEmpty() && Files.exists(beside) ? beside : DEFAULT_PATH;
  }

  /** Reads the file of {@code --conf}, or the usual one, or takes the defaults without one. */
  public static Conf read(Optional<Path> named) {
    return read(named, System.getenv());
  }

  /**
   * The same.
   *
   * @param environment in which SLURM_CONF is looked for
   * @throws AgentException with every problem of the file, one in a line
   */
  public static Conf read(Optional<Path> named, Map<String, String> environment) {
    Path file = named.orElseGet(() -> usualPlace(environment));
    if (named.isEmpty() && !Files.exists(file)) {
      return defaults();
    }
    return parse(file, Texts.lines(file));
  }

  /**
   * Checks what a file says.
   *
   * @param file only named, in problems and as {@link #file}
   * @throws AgentException with every problem, one in a line
   */
  public static Conf parse(Path file, List<String> lines) {
    try {
      Conf conf = new Conf(file, String.join("\n", lines));
      conf.checkListenAddress();
      return conf;
    } catch (ConfText.WrongConfException problems) {
      throw new AgentException(problems.getMessage(), problems);
    }
  }

  /** Metrics are given to whoever asks: beyond this host only if that is said. */
  private void checkListenAddress() {
    String text = text("MetricsListen");
    Optional<ListenAddress> address = metricsListen();
    String place = file + ":" + values.get("MetricsListen").line() + ": MetricsListen=" + text;
    if (address.isEmpty() && !text.isEmpty()) {
      throw new AgentException(place + ": must be " + ListenAddress.ALLOWED);
    }
    if (address.filter(ListenAddress::isPublic).isPresent() && !is("MetricsPublic", "yes")) {
      throw new AgentException(
          place
              + ": other hosts could read without a password what the GPUs do: use 127.0.0.1"
              + " behind a proxy with TLS, or say MetricsPublic=yes");
    }
  }

  /** The text of a value, or its default. */
  private String text(String key) {
    return values.get(key).text();
  }

  private boolean is(String key, String value) {
    return text(key).equalsIgnoreCase(value);
  }

  private Optional<Path> path(String key) {
    return text(key).isEmpty() ? Optional.empty() : Optional.of(Path.of(text(key)));
  }

  /** Where it was read, or would have been. */
  public Path file() {
    return file;
  }

  /** The text of the file. */
  public String source() {
    return source;
  }

  /** Where the region is. */
  public Path runDir() {
    return path("RunDir").orElseThrow();
  }

  /** The map from virtual GPUs to devices; beside schedgpu.conf unless it says otherwise. */
  public Path devicesFile() {
    return path("DevicesFile").orElse(file.resolveSibling(DEVICES_FILE));
  }

  /** Empty: beside libschedgpu. */
  public Optional<Path> preloadLibrary() {
    return path("PreloadLibrary");
  }

  /** Who is served first. */
  public Policy policy() {
    return Policy.of(text("Policy")).orElseThrow();
  }

  /**
   * Budget of a job that names none and of which nothing was learned, as it is written; empty:
   * none.
   */
  public Optional<String> defaultMem() {
    return Optional.of(afterLearned(text("DefaultMem")))
        .filter(mem -> !mem.equalsIgnoreCase("none") && !mem.equalsIgnoreCase(LEARNED));
  }

  /** Of {@code learned,2G}, {@code 2G}; any other value as it is. */
  private static String afterLearned(String value) {
    boolean learned = value.regionMatches(true, 0, LEARNED + ",", 0, LEARNED.length() + 1);
    return learned ? value.substring(LEARNED.length() + 1) : value;
  }

  /** Whether a job that names no budget gets what earlier runs of it needed. */
  public boolean learnsDefaultMem() {
    String value = text("DefaultMem");
    return value.equalsIgnoreCase(LEARNED) || !afterLearned(value).equals(value);
  }

  /** Returns true if a job's end prints a hint when the job asked for too much or too little. */
  public boolean endHint() {
    return is("EndHint", "yes");
  }

  /** The field of Slurm's jobs that says what they used; empty: none. */
  public Optional<String> slurmComment() {
    return Optional.of(text("SlurmComment").toLowerCase(Locale.ROOT))
        .filter(field -> !field.equals("no"));
  }

  /** Where slurmrestd listens. */
  public Optional<String> slurmRest() {
    return Optional.of(text("SlurmRest")).filter(address -> !address.isEmpty());
  }

  /** As whom slurmrestd is asked with a token. */
  public String slurmRestUser() {
    return text("SlurmRestUser");
  }

  /** The file with the token. */
  public Optional<Path> slurmRestToken() {
    return path("SlurmRestToken");
  }

  /** Memory of a device of {@code totalBytes} that is never given out. */
  public long safetyMarginBytes(long totalBytes) {
    return Units.bytes(text("SafetyMargin"), totalBytes).orElseThrow();
  }

  /** Highest priority that a job may ask for, unless its user may go beyond. */
  public int maxPriority() {
    return Units.priority(text("MaxPriority")).orElseThrow();
  }

  /** Who may go beyond {@link #maxPriority}, by name or number. */
  public List<String> highPriorityUsers() {
    return Arrays.stream(text("HighPriorityUsers").split(",", -1))
        .map(String::strip)
        .filter(user -> !user.isEmpty())
        .toList();
  }

  /** Largest budget that the site allows on a device, as it is written. */
  public String maxMem() {
    return text("MaxMem");
  }

  /** How long a reservation of mode peak outlives the last free while others wait; 0 or more. */
  public long graceNs() {
    return Units.timeNs(text("Grace")).orElseThrow();
  }

  /** How often the oldest waiter may be overtaken, 0 to 1000000; 0: without limit. */
  public long overtakeLimit() {
    return Long.parseLong(text("OvertakeLimit"));
  }

  /** What becomes of jobs that wait for each other. */
  public DeadlockRule deadlockRule() {
    return DeadlockRule.of(text("DeadlockRule")).orElseThrow();
  }

  /** Whether a job is refused, instead of run unscheduled, where it cannot be scheduled. */
  public boolean refuseOnFailure() {
    return is("OnFailure", "refuse");
  }

  /** Whether managed memory is allocated without a reservation. */
  public boolean managedPasses() {
    return is("ManagedMemory", "pass");
  }

  /** Whether jobs with a budget get variables for TensorFlow and JAX. */
  public boolean frameworkEnvironment() {
    return is("FrameworkEnvironment", "yes");
  }

  /** What the agent does about memory that a job's programs use and did not reserve. */
  public OverrunAction overrunAction() {
    return OverrunAction.of(text("OverrunAction"));
  }

  /** How often the agent looks for such memory. */
  public long overrunEveryNs() {
    return Units.timeNs(text("OverrunEvery")).orElseThrow();
  }

  /** From SIGTERM to SIGKILL. */
  public long overrunGraceNs() {
    return Units.timeNs(text("OverrunGrace")).orElseThrow();
  }

  /** Whether budgets are made limits of the driver, where it has limits per control group. */
  public boolean driverLimits() {
    return is("DriverLimits", "yes");
  }

  /** Whether what a CUDA context takes is measured, and goes before ContextBytes. */
  public boolean learnContext() {
    return is("LearnContext", "yes");
  }

  /** Where what was measured of contexts is kept. */
  public Path contextFile() {
    return path("ContextFile").orElseThrow();
  }

  /** How often the agent checks the region in depth. */
  public long checkEveryNs() {
    return Units.timeNs(text("CheckEvery")).orElseThrow();
  }

  /** After how long a job that Slurm forgot to end is ended; empty: never. */
  public OptionalLong leftJobGraceNs() {
    long ns = Units.timeNs(text("LeftJobGrace")).orElseThrow();
    return ns < 0 ? OptionalLong.empty() : OptionalLong.of(ns);
  }

  /**
   * Where the agent remembers jobs. In a run directory of its own unless it says otherwise: two
   * agents on a host do not write one file.
   */
  public Path historyFile() {
    boolean usual = runDir().equals(USUAL_RUN_DIR);
    return path("HistoryFile")
        .orElseGet(() -> usual ? USUAL_HISTORY : runDir().resolve(USUAL_HISTORY.getFileName()));
  }

  /** After how long what happened is forgotten; empty: never. */
  public OptionalLong historyKeepNs() {
    long ns = Units.timeNs(text("HistoryKeep")).orElseThrow();
    return ns < 0 ? OptionalLong.empty() : OptionalLong.of(ns);
  }

  /** How large the memory of jobs may become. */
  public long historyMaxBytes() {
    return Units.bytes(text("HistoryMax")).orElseThrow();
  }

  /** How often the agent writes down what devices and jobs use. */
  public long sampleEveryNs() {
    return Units.timeNs(text("SampleEvery")).orElseThrow();
  }

  /** Whether users see jobs of others in sums only. */
  public boolean jobsArePrivate() {
    return is("PrivateData", "jobs");
  }

  /** Least important message that the agent logs: error, warning, info or debug. */
  public String logLevel() {
    return text("LogLevel").toLowerCase(Locale.ROOT);
  }

  /** Where metrics are served; empty: nowhere. */
  public Optional<ListenAddress> metricsListen() {
    return ListenAddress.of(text("MetricsListen"));
  }

  /** Whether only root may write the region, and the others ask the agent. */
  public boolean brokered() {
    return is("Mode", "brokered");
  }

  /** Group that may use the region; empty: everyone. */
  public Optional<String> regionGroup() {
    return Optional.of(text("RegionGroup")).filter(group -> !group.isEmpty());
  }
}
