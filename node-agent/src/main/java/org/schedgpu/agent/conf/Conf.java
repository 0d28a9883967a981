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

/** schedgpu.conf, checked, with defaults for missing keys. Immutable. */
public final class Conf {
  /** The path of schedgpu.conf without {@code --conf}. */
  static final Path DEFAULT_PATH = Path.of("/etc/schedgpu/schedgpu.conf");

  /** The value of DefaultMem that depends on the job. */
  private static final String LEARNED = "learned";

  private static final String DEVICES_FILE = "devices.conf";
  private static final Path USUAL_RUN_DIR = Path.of("/run/schedgpu");
  private static final Path USUAL_HISTORY = Path.of("/var/lib/schedgpu/history.db");

  private final Path file;
  private final Map<String, ConfText.Value> values;

  private Conf(Path file, byte[] content) {
    this.file = file;
    this.values = ConfText.parse(file.toString(), content);
  }

  /** The defaults, as if the file at the default place were empty. */
  static Conf defaults() {
    return parse(DEFAULT_PATH, new byte[0]);
  }

  /**
   * The same search as in plugin and hooks: beside SLURM_CONF, so that a second cluster on the host
   * has its own file; else the default path.
   */
  static Path usualPlace(Map<String, String> environment) {
    String slurmConf = environment.getOrDefault("SLURM_CONF", "");
    Path beside = Path.of(slurmConf).resolveSibling(DEFAULT_PATH.getFileName());
    return !slurmConf.isEmpty() && Files.exists(beside) ? beside : DEFAULT_PATH;
  }

  /** Reads the file of {@code --conf}, or the usual one; uses the defaults if there is none. */
  public static Conf read(Optional<Path> named) {
    return read(named, System.getenv());
  }

  /**
   * The same.
   *
   * @param environment where SLURM_CONF is read
   * @throws AgentException with every problem of the file, one per line
   */
  public static Conf read(Optional<Path> named, Map<String, String> environment) {
    Path file = named.orElseGet(() -> usualPlace(environment));
    if (named.isEmpty() && !Files.exists(file)) {
      return defaults();
    }
    return parse(file, Texts.bytes(file));
  }

  /**
   * Checks the content of a file.
   *
   * @param file for the text of problems and {@link #file}; not read
   * @throws AgentException with every problem, one per line
   */
  public static Conf parse(Path file, byte[] content) {
    try {
      Conf conf = new Conf(file, content);
      conf.checkListenAddress();
      return conf;
    } catch (ConfText.WrongConfException problems) {
      throw new AgentException(problems.getMessage(), problems);
    }
  }

  /**
   * Metrics have no password, so other hosts may read them only if the configuration allows it
   * explicitly.
   */
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
              + " behind a proxy with TLS, or set MetricsPublic=yes");
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

  /** The file that was read, or would have been. */
  public Path file() {
    return file;
  }

  /** The run directory, which contains the region. */
  public Path runDir() {
    return path("RunDir").orElseThrow();
  }

  /** The map from virtual GPUs to devices; beside schedgpu.conf by default. */
  public Path devicesFile() {
    return path("DevicesFile").orElse(file.resolveSibling(DEVICES_FILE));
  }

  /** Empty: beside libschedgpu. */
  public Optional<Path> preloadLibrary() {
    return path("PreloadLibrary");
  }

  /** The policy that chooses the next waiter. */
  public Policy policy() {
    return Policy.of(text("Policy")).orElseThrow();
  }

  /**
   * The budget of a job that names none and for which nothing was learned, as written; empty: none.
   */
  public Optional<String> defaultMem() {
    return Optional.of(afterLearned(text("DefaultMem")))
        .filter(mem -> !mem.equalsIgnoreCase("none") && !mem.equalsIgnoreCase(LEARNED));
  }

  /** The second part of {@code learned,2G}; any other value unchanged. */
  private static String afterLearned(String value) {
    boolean learned = value.regionMatches(true, 0, LEARNED + ",", 0, LEARNED.length() + 1);
    return learned ? value.substring(LEARNED.length() + 1) : value;
  }

  /** True if a job that names no budget gets the budget learned from earlier runs. */
  public boolean learnsDefaultMem() {
    String value = text("DefaultMem");
    return value.equalsIgnoreCase(LEARNED) || !afterLearned(value).equals(value);
  }

  /** True if jobs may have a lane. */
  public boolean lanes() {
    return is("Lanes", "yes");
  }

  /** The largest weight of a job. */
  public int maxShare() {
    return Integer.parseInt(text("MaxShare"));
  }

  /** Returns true if a job's end prints a hint when the job asked for too much or too little. */
  public boolean endHint() {
    return is("EndHint", "yes");
  }

  /** The field of Slurm's jobs in which the agent writes their usage; empty: none. */
  public Optional<String> slurmComment() {
    return Optional.of(text("SlurmComment").toLowerCase(Locale.ROOT))
        .filter(field -> !field.equals("no"));
  }

  /** Where slurmrestd listens. */
  public Optional<String> slurmRest() {
    return Optional.of(text("SlurmRest")).filter(address -> !address.isEmpty());
  }

  /** The user for requests to slurmrestd with a token. */
  public String slurmRestUser() {
    return text("SlurmRestUser");
  }

  /** The file with the token. */
  public Optional<Path> slurmRestToken() {
    return path("SlurmRestToken");
  }

  /** Memory of a device of {@code totalBytes} that jobs never get. */
  public long safetyMarginBytes(long totalBytes) {
    return Units.bytes(text("SafetyMargin"), totalBytes).orElseThrow();
  }

  /** The highest priority that a job may ask for, unless its user may exceed it. */
  public int maxPriority() {
    return Units.priority(text("MaxPriority")).orElseThrow();
  }

  /** Users who may exceed {@link #maxPriority}, by name or number. */
  public List<String> highPriorityUsers() {
    return Arrays.stream(text("HighPriorityUsers").split(",", -1))
        .map(String::strip)
        .filter(user -> !user.isEmpty())
        .toList();
  }

  /** The largest budget that the site allows on a device, as written. */
  public String maxMem() {
    return text("MaxMem");
  }

  /**
   * How long a budget of mode peak stays reserved after the last free while others wait; 0 or more.
   */
  public long graceNs() {
    return Units.timeNs(text("Grace")).orElseThrow();
  }

  /** How long a job of a {@code fair} lane keeps its turn before another one may get it. */
  public long laneQuantumNs() {
    return Units.timeNs(text("LaneQuantum")).orElseThrow();
  }

  /** How often the oldest waiter may be overtaken, 0 to 1000000; 0: no limit. */
  public long overtakeLimit() {
    return Long.parseLong(text("OvertakeLimit"));
  }

  /** What happens to jobs that wait for each other. */
  public DeadlockRule deadlockRule() {
    return DeadlockRule.of(text("DeadlockRule")).orElseThrow();
  }

  /** True if a job is refused when it cannot be scheduled; false if it then runs unscheduled. */
  public boolean refuseOnFailure() {
    return is("OnFailure", "refuse");
  }

  /** True if managed memory is allocated without a reservation. */
  public boolean managedPasses() {
    return is("ManagedMemory", "pass");
  }

  /** True if jobs with a budget get variables for TensorFlow and JAX. */
  public boolean frameworkEnvironment() {
    return is("FrameworkEnvironment", "yes");
  }

  /** What the agent does about a job's unreserved memory. */
  public OverrunAction overrunAction() {
    return OverrunAction.of(text("OverrunAction"));
  }

  /** What the agent does about a program that is not attached to the region. */
  public UnscheduledAction unscheduled() {
    return UnscheduledAction.of(text("Unscheduled"));
  }

  /** How often the agent searches for such memory and programs. */
  public long overrunEveryNs() {
    return Units.timeNs(text("OverrunEvery")).orElseThrow();
  }

  /** Time between SIGTERM and SIGKILL. */
  public long overrunGraceNs() {
    return Units.timeNs(text("OverrunGrace")).orElseThrow();
  }

  /** True if budgets become limits of the driver, where it has limits per control group. */
  public boolean driverLimits() {
    return is("DriverLimits", "yes");
  }

  /**
   * True if the agent measures the size of CUDA contexts; the result then replaces ContextBytes.
   */
  public boolean learnContext() {
    return is("LearnContext", "yes");
  }

  /** The file with the measured sizes of contexts. */
  public Path contextFile() {
    return path("ContextFile").orElseThrow();
  }

  /** How often the agent checks the whole region. */
  public long checkEveryNs() {
    return Units.timeNs(text("CheckEvery")).orElseThrow();
  }

  /**
   * How long after its last sign of life the agent ends a job whose epilog did not run; empty:
   * never.
   */
  public OptionalLong leftJobGraceNs() {
    long ns = Units.timeNs(text("LeftJobGrace")).orElseThrow();
    return ns < 0 ? OptionalLong.empty() : OptionalLong.of(ns);
  }

  /**
   * The history file. By default it is in a run directory of its own, so that two agents on a host
   * do not write the same file.
   */
  public Path historyFile() {
    boolean usual = runDir().equals(USUAL_RUN_DIR);
    return path("HistoryFile")
        .orElseGet(() -> usual ? USUAL_HISTORY : runDir().resolve(USUAL_HISTORY.getFileName()));
  }

  /** The age at which records are deleted; empty: never. */
  public OptionalLong historyKeepNs() {
    long ns = Units.timeNs(text("HistoryKeep")).orElseThrow();
    return ns < 0 ? OptionalLong.empty() : OptionalLong.of(ns);
  }

  /** The largest size of the history file. */
  public long historyMaxBytes() {
    return Units.bytes(text("HistoryMax")).orElseThrow();
  }

  /** How often the agent samples devices and jobs. */
  public long sampleEveryNs() {
    return Units.timeNs(text("SampleEvery")).orElseThrow();
  }

  /** True if users see jobs of others only in sums. */
  public boolean jobsArePrivate() {
    return is("PrivateData", "jobs");
  }

  /** The least important message that the agent logs: error, warning, info or debug. */
  public String logLevel() {
    return text("LogLevel").toLowerCase(Locale.ROOT);
  }

  /** The address for metrics; empty: none. */
  public Optional<ListenAddress> metricsListen() {
    return ListenAddress.of(text("MetricsListen"));
  }

  /** True if the time limit of a job is extended by its waits. */
  public boolean compensatesWait() {
    return is("CompensateWait", "yes");
  }

  /** The most by which a time limit is extended. */
  public long compensateMostNs() {
    return Units.timeNs(text("CompensateMost")).orElseThrow();
  }

  /** How long a job may wait before it holds any memory; empty: forever. */
  public OptionalLong waitLimitNs() {
    return limitNs("WaitLimit");
  }

  /** The same for a job over several nodes. */
  public OptionalLong waitLimitNodesNs() {
    return limitNs("WaitLimitNodes");
  }

  private OptionalLong limitNs(String key) {
    long ns = Units.timeNs(text(key)).orElseThrow();
    return ns < 0 ? OptionalLong.empty() : OptionalLong.of(ns);
  }

  /** What happens after that. */
  public WaitAction waitAction() {
    return WaitAction.of(text("WaitAction"));
  }

  /** True if metrics say what each user and account reserved and used. */
  public boolean metricsByUser() {
    return is("MetricsByUser", "yes");
  }

  /** True if only root may write the region, and others ask the agent. */
  public boolean brokered() {
    return is("Mode", "brokered");
  }

  /** The group that may use the region; empty: everyone. */
  public Optional<String> regionGroup() {
    return Optional.of(text("RegionGroup")).filter(group -> !group.isEmpty());
  }
}
