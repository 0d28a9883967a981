package org.schedgpu.agent.conf;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.DeadlockRule;
import org.schedgpu.jna.Policy;
import org.schedgpu.jna.Units;

/** schedgpu.conf, checked, with defaults for what it does not say. Immutable. */
public final class Conf {
  /** Where schedgpu.conf is unless {@code --conf} names another. */
  static final Path DEFAULT_PATH = Path.of("/etc/schedgpu/schedgpu.conf");

  private static final String DEVICES_FILE = "devices.conf";
  private static final Path USUAL_HISTORY = Path.of("/var/lib/schedgpu/history.db");

  private final Path file;
  private final Map<ConfKey, String> values;

  private Conf(Path file, Map<ConfKey, String> values) {
    this.file = file;
    this.values = values;
  }

  /** The defaults, as if the file at the default place were empty. */
  static Conf defaults() {
    return new Conf(DEFAULT_PATH, new EnumMap<>(ConfKey.class));
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
  public static Conf parse(Path file, List<String> text) {
    ConfLines lines = new ConfLines(file.toString());
    Map<ConfKey, String> values = new EnumMap<>(ConfKey.class);
    Set<ConfKey> seen = EnumSet.noneOf(ConfKey.class);
    int listenLine = 0;
    for (ConfLines.Line line : lines.read(text)) {
      if (line.pairs().size() > 1) {
        lines.problem(line.number(), "more than one Key=Value: write one in a line");
      }
      ConfLines.Pair pair = line.pairs().get(0);
      put(lines, line.number(), pair, values, seen);
      if (ConfKey.of(pair.key()).filter(ConfKey.METRICS_LISTEN::equals).isPresent()) {
        listenLine = line.number();
      }
    }
    Conf conf = new Conf(file, values);
    conf.checkPublic(lines, listenLine);
    conf.checkPriorities(lines);
    lines.check();
    return conf;
  }

  /** Metrics are given to whoever asks: beyond this host only if that is said. */
  private void checkPublic(ConfLines lines, int listenLine) {
    boolean isPublic = metricsListen().filter(ListenAddress::isPublic).isPresent();
    if (isPublic && !text(ConfKey.METRICS_PUBLIC).equalsIgnoreCase("yes")) {
      lines.problem(
          listenLine,
          "MetricsListen=%s: other hosts could read without a password what the GPUs do: use"
                  .formatted(text(ConfKey.METRICS_LISTEN))
              + " 127.0.0.1 behind a proxy with TLS, or say MetricsPublic=yes");
    }
  }

  private void checkPriorities(ConfLines lines) {
    int byDefault = Units.priority(text(ConfKey.DEFAULT_PRIORITY)).orElseThrow();
    int most = Units.priority(text(ConfKey.MAX_PRIORITY)).orElseThrow();
    if (byDefault > most) {
      lines.problem(
          "DefaultPriority (%d) is above MaxPriority (%d): lower the first"
              .formatted(byDefault, most));
    }
  }

  private static void put(
      ConfLines lines,
      int number,
      ConfLines.Pair pair,
      Map<ConfKey, String> values,
      Set<ConfKey> seen) {
    Optional<ConfKey> known = ConfKey.of(pair.key());
    if (known.isEmpty()) {
      lines.unknownKey(number, pair.key(), ConfKey.names());
      return;
    }
    ConfKey key = known.get();
    if (key.isValid(pair.value())) {
      values.put(key, pair.value());
    } else {
      lines.problem(number, key.text() + "=" + pair.value() + ": must be " + key.allowed());
    }
    if (!seen.add(key)) {
      lines.problem(number, key.text() + " is there twice: keep one");
    }
  }

  /** The text of a value, or its default. */
  String text(ConfKey key) {
    return values.getOrDefault(key, key.fallback());
  }

  private Optional<Path> path(ConfKey key) {
    return text(key).isEmpty() ? Optional.empty() : Optional.of(Path.of(text(key)));
  }

  /** Where it was read, or would have been. */
  public Path file() {
    return file;
  }

  /** Where the region is. */
  public Path runDir() {
    return path(ConfKey.RUN_DIR).orElseThrow();
  }

  /** The map from virtual GPUs to devices; beside schedgpu.conf unless it says otherwise. */
  public Path devicesFile() {
    return path(ConfKey.DEVICES_FILE).orElse(file.resolveSibling(DEVICES_FILE));
  }

  /** Empty: beside libschedgpu. */
  public Optional<Path> preloadLibrary() {
    return path(ConfKey.PRELOAD_LIBRARY);
  }

  /** Who is served first. */
  public Policy policy() {
    return Policy.of(text(ConfKey.POLICY)).orElseThrow();
  }

  /**
   * Budget of a job that names none and of which nothing was learned, as it is written; empty:
   * none.
   */
  public Optional<String> defaultMem() {
    return Optional.of(ConfKey.afterLearned(text(ConfKey.DEFAULT_MEM)))
        .filter(mem -> !mem.equalsIgnoreCase("none") && !mem.equalsIgnoreCase(ConfKey.LEARNED));
  }

  /** Whether a job that names no budget gets what earlier runs of it needed. */
  public boolean learnsDefaultMem() {
    String value = text(ConfKey.DEFAULT_MEM);
    return value.equalsIgnoreCase(ConfKey.LEARNED) || !ConfKey.afterLearned(value).equals(value);
  }

  /** Whether users are told at a job's end that it asked for too much or too little. */
  public boolean endHint() {
    return text(ConfKey.END_HINT).equalsIgnoreCase("yes");
  }

  /** The field of Slurm's jobs that says what they used; empty: none. */
  public Optional<String> slurmComment() {
    return Optional.of(text(ConfKey.SLURM_COMMENT).toLowerCase(Locale.ROOT))
        .filter(field -> !field.equals("no"));
  }

  /** Where slurmrestd listens. */
  public Optional<String> slurmRest() {
    return Optional.of(text(ConfKey.SLURM_REST)).filter(address -> !address.isEmpty());
  }

  /** As whom slurmrestd is asked with a token. */
  public String slurmRestUser() {
    return text(ConfKey.SLURM_REST_USER);
  }

  /** The file with the token. */
  public Optional<Path> slurmRestToken() {
    return path(ConfKey.SLURM_REST_TOKEN);
  }

  /** Largest budget that the site allows on a device of {@code totalBytes}. */
  public long maxMemBytes(long totalBytes) {
    return Units.bytes(text(ConfKey.MAX_MEM), totalBytes).orElseThrow();
  }

  /** Memory of a device of {@code totalBytes} that is never given out. */
  public long safetyMarginBytes(long totalBytes) {
    return Units.bytes(text(ConfKey.SAFETY_MARGIN), totalBytes).orElseThrow();
  }

  /** Priority of a job that names none. */
  public int defaultPriority() {
    return Units.priority(text(ConfKey.DEFAULT_PRIORITY)).orElseThrow();
  }

  /** Highest priority that a job may ask for, unless its user may go beyond. */
  public int maxPriority() {
    return Units.priority(text(ConfKey.MAX_PRIORITY)).orElseThrow();
  }

  /** Who may go beyond {@link #maxPriority}, by name or number. */
  public List<String> highPriorityUsers() {
    return Arrays.stream(text(ConfKey.HIGH_PRIORITY_USERS).split(",", -1))
        .map(String::strip)
        .filter(user -> !user.isEmpty())
        .toList();
  }

  /** The text of {@link #maxMemBytes}. */
  public String maxMem() {
    return text(ConfKey.MAX_MEM);
  }

  /** Whether a user, by name or number, may go beyond {@link #maxPriority}. */
  public boolean mayExceedMaxPriority(int uid, String name) {
    return highPriorityUsers().stream()
        .anyMatch(user -> user.equals(name) || user.equals(Integer.toUnsignedString(uid)));
  }

  /** How long a request waits when its job does not say; negative: without end. */
  public long waitNs() {
    return Units.timeNs(text(ConfKey.WAIT)).orElseThrow();
  }

  /** How long a reservation of mode peak outlives the last free while others wait; 0 or more. */
  public long graceNs() {
    return Units.timeNs(text(ConfKey.GRACE)).orElseThrow();
  }

  /** How often the oldest waiter may be overtaken, 0 to 1000000; 0: without limit. */
  public long overtakeLimit() {
    return Long.parseLong(text(ConfKey.OVERTAKE_LIMIT));
  }

  /** What becomes of jobs that wait for each other. */
  public DeadlockRule deadlockRule() {
    return DeadlockRule.of(text(ConfKey.DEADLOCK_RULE)).orElseThrow();
  }

  /** Whether a job is refused, instead of run unscheduled, where it cannot be scheduled. */
  public boolean refuseOnFailure() {
    return text(ConfKey.ON_FAILURE).equalsIgnoreCase("refuse");
  }

  /**
   * Whether what a job in mode peak allocates beyond its budget waits when the job does not say.
   */
  public boolean overflowWaits() {
    return text(ConfKey.OVERFLOW).equalsIgnoreCase("wait");
  }

  /** Whether managed memory is allocated without a reservation. */
  public boolean managedPasses() {
    return text(ConfKey.MANAGED_MEMORY).equalsIgnoreCase("pass");
  }

  /** Whether jobs with a budget get variables for TensorFlow and JAX. */
  public boolean frameworkEnvironment() {
    return text(ConfKey.FRAMEWORK_ENVIRONMENT).equalsIgnoreCase("yes");
  }

  /** What the agent does about memory that a job's programs use and did not reserve. */
  public OverrunAction overrunAction() {
    return OverrunAction.of(text(ConfKey.OVERRUN_ACTION));
  }

  /** How often the agent looks for such memory. */
  public long overrunEveryNs() {
    return Units.timeNs(text(ConfKey.OVERRUN_EVERY)).orElseThrow();
  }

  /** From SIGTERM to SIGKILL. */
  public long overrunGraceNs() {
    return Units.timeNs(text(ConfKey.OVERRUN_GRACE)).orElseThrow();
  }

  /** Whether budgets are made limits of the driver, where it has limits per control group. */
  public boolean driverLimits() {
    return text(ConfKey.DRIVER_LIMITS).equalsIgnoreCase("yes");
  }

  /** Whether what a CUDA context takes is measured, and goes before ContextBytes. */
  public boolean learnContext() {
    return text(ConfKey.LEARN_CONTEXT).equalsIgnoreCase("yes");
  }

  /** Where what was measured of contexts is kept. */
  public Path contextFile() {
    return path(ConfKey.CONTEXT_FILE).orElseThrow();
  }

  /** How often the agent checks the region in depth. */
  public long checkEveryNs() {
    return Units.timeNs(text(ConfKey.CHECK_EVERY)).orElseThrow();
  }

  /** After how long a job that Slurm forgot to end is ended; empty: never. */
  public OptionalLong leftJobGraceNs() {
    long ns = Units.timeNs(text(ConfKey.LEFT_JOB_GRACE)).orElseThrow();
    return ns < 0 ? OptionalLong.empty() : OptionalLong.of(ns);
  }

  /**
   * Where the agent remembers jobs. In a run directory of its own unless it says otherwise: two
   * agents on a host do not write one file.
   */
  public Path historyFile() {
    boolean usual = text(ConfKey.RUN_DIR).equals(ConfKey.RUN_DIR.fallback());
    return path(ConfKey.HISTORY_FILE)
        .orElseGet(() -> usual ? USUAL_HISTORY : runDir().resolve(USUAL_HISTORY.getFileName()));
  }

  /** After how long what happened is forgotten; empty: never. */
  public OptionalLong historyKeepNs() {
    long ns = Units.timeNs(text(ConfKey.HISTORY_KEEP)).orElseThrow();
    return ns < 0 ? OptionalLong.empty() : OptionalLong.of(ns);
  }

  /** How large the memory of jobs may become. */
  public long historyMaxBytes() {
    return Units.bytes(text(ConfKey.HISTORY_MAX)).orElseThrow();
  }

  /** How often the agent writes down what devices and jobs use. */
  public long sampleEveryNs() {
    return Units.timeNs(text(ConfKey.SAMPLE_EVERY)).orElseThrow();
  }

  /** Whether users see jobs of others in sums only. */
  public boolean jobsArePrivate() {
    return text(ConfKey.PRIVATE_DATA).equalsIgnoreCase("jobs");
  }

  /** Least important message that the agent logs: error, warning, info or debug. */
  public String logLevel() {
    return text(ConfKey.LOG_LEVEL).toLowerCase(Locale.ROOT);
  }

  /** Where metrics are served; empty: nowhere. */
  public Optional<ListenAddress> metricsListen() {
    return ListenAddress.of(text(ConfKey.METRICS_LISTEN));
  }

  /** Whether only root may write the region, and the others ask the agent. */
  public boolean brokered() {
    return text(ConfKey.MODE).equalsIgnoreCase("brokered");
  }

  /** Group that may use the region; empty: everyone. */
  public Optional<String> regionGroup() {
    return Optional.of(text(ConfKey.REGION_GROUP)).filter(group -> !group.isEmpty());
  }
}
