package org.schedgpu.agent.conf;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.schedgpu.jna.Policy;
import org.schedgpu.jna.Units;

/** The keys of schedgpu.conf: name, default, and what a value must be. */
@SuppressWarnings("ImmutableEnumChecker") // the predicates are functions without a state
enum ConfKey {
  RUN_DIR(RunDirSetting.KEY, RunDirSetting.USUAL, "an absolute path", ConfKey::isPath),
  DEVICES_FILE("DevicesFile", "", "an absolute path", ConfKey::isPath),
  POLICY("Policy", "fifo", policies(), value -> Policy.of(value).isPresent()),
  DEFAULT_MEM(
      "DefaultMem",
      "none",
      "a size, a percentage, none, learned, or learned, and one of them",
      ConfKey::isDefaultMem),
  MAX_MEM("MaxMem", "100%", "a size or a percentage above 0", ConfKey::isMemAboveZero),
  DEFAULT_PRIORITY("DefaultPriority", "normal", priorities(), ConfKey::isPriority),
  MAX_PRIORITY("MaxPriority", "high", priorities(), ConfKey::isPriority),
  HIGH_PRIORITY_USERS(
      "HighPriorityUsers",
      "",
      "user names or uids with commas and no blanks, below 1024 characters",
      value -> isBelow(1024, value) && !hasOneOf(" \t", value)),
  WAIT("Wait", "forever", "a time or forever", value -> Units.timeNs(value).isPresent()),
  GRACE("Grace", "0", "a time", value -> isTimeWithin(value, 0, Long.MAX_VALUE)),
  OVERTAKE_LIMIT("OvertakeLimit", "64", "0 to 1000000", ConfKey::isOvertakeLimit),
  DEADLOCK_RULE("DeadlockRule", "avoid", "avoid or detect", oneOf("avoid", "detect")),
  SAFETY_MARGIN("SafetyMargin", "0", "a size or a percentage", ConfKey::isMem),
  ON_FAILURE("OnFailure", "run", "run or refuse", oneOf("run", "refuse")),
  ON_HOOK_FAILURE("OnHookFailure", "ignore", "ignore or drain", oneOf("ignore", "drain")),
  HOOK_TIMEOUT(
      "HookTimeout",
      "5s",
      "a time of 1 s to 300 s",
      value -> isTimeWithin(value, 1_000_000_000L, 300_000_000_000L)),
  OVERFLOW("Overflow", "fail", "fail or wait", oneOf("fail", "wait")),
  MANAGED_MEMORY("ManagedMemory", "reserve", "reserve or pass", oneOf("reserve", "pass")),
  FRAMEWORK_ENVIRONMENT("FrameworkEnvironment", "yes", "yes or no", oneOf("yes", "no")),
  MODE("Mode", "shared", "shared or brokered", oneOf("shared", "brokered")),
  REGION_GROUP("RegionGroup", "", "a group name below 64 characters", value -> isBelow(64, value)),
  PRELOAD_LIBRARY(
      "PreloadLibrary",
      "",
      "an absolute path without colons or blanks",
      value -> isPath(value) && !hasOneOf(": \t", value)),
  END_HINT("EndHint", "yes", "yes or no", oneOf("yes", "no")),
  SLURM_COMMENT(
      "SlurmComment",
      "no",
      "no, comment, admin_comment or extra",
      oneOf("no", "comment", "admin_comment", "extra")),
  SLURM_REST("SlurmRest", "", "unix:/PATH or http://HOST:PORT", ConfKey::isRestAddress),
  SLURM_REST_USER("SlurmRestUser", "root", "a user", value -> !value.isBlank()),
  SLURM_REST_TOKEN("SlurmRestToken", "", "an absolute path", ConfKey::isPath),
  OVERRUN_ACTION("OverrunAction", "warn", "leave, warn or end", oneOf("leave", "warn", "end")),
  OVERRUN_EVERY(
      "OverrunEvery",
      "5s",
      "a time of 100 ms to 1 h",
      value -> isTimeWithin(value, 100_000_000L, 3_600_000_000_000L)),
  OVERRUN_GRACE(
      "OverrunGrace",
      "10s",
      "a time of at most 1 h",
      value -> isTimeWithin(value, 0, 3_600_000_000_000L)),
  DRIVER_LIMITS("DriverLimits", "yes", "yes or no", oneOf("yes", "no")),
  LEARN_CONTEXT("LearnContext", "yes", "yes or no", oneOf("yes", "no")),
  CONTEXT_FILE(
      "ContextFile", "/var/lib/schedgpu/contexts.conf", "an absolute path", ConfKey::isPath),
  CHECK_EVERY(
      "CheckEvery",
      "60s",
      "a time of 1 s to 1 h",
      value -> isTimeWithin(value, 1_000_000_000L, 3_600_000_000_000L)),
  LEFT_JOB_GRACE(
      "LeftJobGrace",
      "10m",
      "a time of at least 1 s, or forever",
      value -> isForeverOrAtLeast(value, 1_000_000_000L)),
  HISTORY_FILE("HistoryFile", "", "an absolute path", ConfKey::isPath),
  HISTORY_KEEP(
      "HistoryKeep",
      "30d",
      "a time of at least 1 h, or forever",
      value -> isForeverOrAtLeast(value, 3_600_000_000_000L)),
  HISTORY_MAX("HistoryMax", "256M", "a size of at least 1M", ConfKey::isHistoryMax),
  SAMPLE_EVERY(
      "SampleEvery",
      "10s",
      "a time of 1 s to 1 h",
      value -> isTimeWithin(value, 1_000_000_000L, 3_600_000_000_000L)),
  PRIVATE_DATA("PrivateData", "jobs", "jobs or none", oneOf("jobs", "none")),
  METRICS_LISTEN("MetricsListen", "", ListenAddress.ALLOWED, ConfKey::isListenAddress),
  METRICS_PUBLIC("MetricsPublic", "no", "yes or no", oneOf("yes", "no")),
  LOG_LEVEL(
      "LogLevel",
      "info",
      "error, warning, info or debug",
      oneOf("error", "warning", "info", "debug"));

  /** DefaultMem that depends on the job. */
  static final String LEARNED = "learned";

  private static final int MAX_OVERTAKE_LIMIT = 1_000_000;
  private static final int PATH_MAX = 4096;
  private static final int MEM_SIZE = 32;
  private static final long ANY_DEVICE_BYTES = 1L << 40; // which a percentage is checked against

  private final String text;
  private final String fallback;
  private final String allowed;
  private final Predicate<String> valid;

  ConfKey(String text, String fallback, String allowed, Predicate<String> valid) {
    this.text = text;
    this.fallback = fallback;
    this.allowed = allowed;
    this.valid = valid;
  }

  /** As it is written in the file. */
  String text() {
    return text;
  }

  /** The value when the file does not say; "" stands for a default that depends on the node. */
  String fallback() {
    return fallback;
  }

  /** What a value must be, in words. */
  String allowed() {
    return allowed;
  }

  boolean isValid(String value) {
    return valid.test(value);
  }

  static Optional<ConfKey> of(String text) {
    return Arrays.stream(values()).filter(key -> key.text.equalsIgnoreCase(text)).findFirst();
  }

  static List<String> names() {
    return Arrays.stream(values()).map(ConfKey::text).toList();
  }

  private static String policies() {
    return Arrays.stream(Policy.values()).map(Policy::text).collect(Collectors.joining(", "));
  }

  private static String priorities() {
    return "low, normal, high or 0 to 100";
  }

  static boolean isPath(String value) {
    return value.startsWith("/") && isBelow(PATH_MAX, value);
  }

  /** As long as the hooks have room for (include/schedgpu/conf.h). */
  static boolean isBelow(int bytes, String value) {
    return value.getBytes(StandardCharsets.UTF_8).length < bytes;
  }

  private static boolean hasOneOf(String characters, String value) {
    return value.chars().anyMatch(c -> characters.indexOf(c) >= 0);
  }

  private static boolean isListenAddress(String value) {
    return value.isEmpty() || ListenAddress.of(value).isPresent();
  }

  private static boolean isMem(String value) {
    return isBelow(MEM_SIZE, value) && Units.bytes(value, ANY_DEVICE_BYTES).isPresent();
  }

  private static boolean isMemAboveZero(String value) {
    return isMem(value) && Units.bytes(value, ANY_DEVICE_BYTES).getAsLong() > 0;
  }

  private static boolean isDefaultMem(String value) {
    return value.equalsIgnoreCase(LEARNED) || isMemOrNone(afterLearned(value));
  }

  /** Of {@code learned,2G}, {@code 2G}; any other value as it is. */
  static String afterLearned(String value) {
    boolean learned = value.regionMatches(true, 0, LEARNED + ",", 0, LEARNED.length() + 1);
    return learned ? value.substring(LEARNED.length() + 1) : value;
  }

  private static boolean isMemOrNone(String value) {
    return value.equalsIgnoreCase("none") || isMemAboveZero(value);
  }

  private static boolean isRestAddress(String value) {
    return value.matches("unix:/.+|https?://[^/\\s]+(/\\S*)?");
  }

  private static boolean isPriority(String value) {
    return Units.priority(value).isPresent();
  }

  private static boolean isTimeWithin(String value, long leastNs, long mostNs) {
    OptionalLong ns = Units.timeNs(value);
    return ns.isPresent() && ns.getAsLong() >= leastNs && ns.getAsLong() <= mostNs;
  }

  private static boolean isForeverOrAtLeast(String value, long leastNs) {
    OptionalLong ns = Units.timeNs(value);
    return ns.isPresent() && (ns.getAsLong() < 0 || ns.getAsLong() >= leastNs);
  }

  private static boolean isHistoryMax(String value) {
    return Units.bytes(value).orElse(0) >= 1 << 20;
  }

  private static boolean isOvertakeLimit(String value) {
    return value.matches("0*[0-9]{1,7}") && Integer.parseInt(value) <= MAX_OVERTAKE_LIMIT;
  }

  private static Predicate<String> oneOf(String... words) {
    return value -> Arrays.stream(words).anyMatch(value::equalsIgnoreCase);
  }
}
