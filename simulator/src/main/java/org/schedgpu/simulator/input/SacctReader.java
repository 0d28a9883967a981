package org.schedgpu.simulator.input;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.schedgpu.simulator.job.Job;
import org.schedgpu.simulator.problem.SimulatorException;

/**
 * Reads jobs from {@code sacct --parsable2}, with the columns of {@link #COMMAND}. The state is the
 * last column, so that a truncated line is noticed.
 */
public final class SacctReader {
  private static final List<String> COLUMNS =
      List.of(
          "JobID",
          "Submit",
          "Eligible",
          "Start",
          "End",
          "ElapsedRaw",
          "TimelimitRaw",
          "NNodes",
          "Priority",
          "ReqTRES",
          "AllocTRES",
          "State");

  /** Why most lines are left out if Slurm does not count GPUs. */
  public static final String NO_GPU = "has no GPU";

  /** With it the memory of tasks of arrays is found in the history; old files do without. */
  private static final String RAW_ID = "JobIDRaw";

  /** What prints it. */
  public static final String COMMAND =
      "SLURM_TIME_FORMAT=%s sacct --allusers --allocations --parsable2 --starttime=now-30days"
          + " --format="
          + String.join(",", COLUMNS).replace("JobID,", "JobID," + RAW_ID + ",");

  private static final Set<String> RUNNING =
      Set.of(
          "RUNNING",
          "SUSPENDED",
          "COMPLETING",
          "RESIZING",
          "CONFIGURING",
          "STOPPED",
          "SIGNALING",
          "STAGE_OUT");
  private static final Set<String> ENDED =
      Set.of(
          "BOOT_FAIL",
          "CANCELLED",
          "COMPLETED",
          "DEADLINE",
          "FAILED",
          "LAUNCH_FAILED",
          "NODE_FAIL",
          "OUT_OF_MEMORY",
          "PREEMPTED",
          "RECONFIG_FAIL",
          "TIMEOUT");
  private static final Set<String> NOT_BEGUN =
      Set.of(
          "PENDING",
          "POWER_UP_NODE",
          "REQUEUE_FED",
          "REQUEUE_HOLD",
          "RESV_DEL_HOLD",
          "SPECIAL_EXIT");
  private static final Pattern ID = Pattern.compile("[0-9]+(_[0-9]+)?");

  /** {@code 7_[5-100%10]}; sacct shortens long lists. */
  private static final Pattern TASKS = Pattern.compile("[0-9]+_\\[.*");

  private static final Pattern RAW = Pattern.compile("[0-9]{1,18}");
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,11}");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,15}");
  private static final long UNLIMITED_NS = TimeUnit.DAYS.toNanos(3650);
  private static final long NS = TimeUnit.SECONDS.toNanos(1);
  private static final int MAX_GPUS = 1024;

  private final ZoneId zone;
  private final Assumptions assumptions;
  private final LeftOut leftOut = new LeftOut();
  private final Map<String, Integer> lineOf = new HashMap<>();
  private final Map<Integer, Job> jobs = new HashMap<>();
  private final Set<Integer> linesKnown = new HashSet<>();

  /**
   * @param zone of times that are not seconds since 1970, and of days
   */
  public SacctReader(ZoneId zone, Assumptions assumptions) {
    this.zone = zone;
    this.assumptions = assumptions;
  }

  /** A line that cannot be simulated. */
  private static final class Unplayable extends Exception {
    private static final long serialVersionUID = 1L;

    /** Told of each line, where lines of one reason differ. */
    final String detail;

    Unplayable(String why) {
      this(why, "");
    }

    Unplayable(String why, String detail) {
      super(why);
      this.detail = detail;
    }
  }

  /**
   * Reads all of it.
   *
   * @param place names the input in messages
   * @throws SimulatorException if the format is not that of the command
   */
  public Jobs read(BufferedReader lines, String place) throws IOException {
    List<String> heads = heads(TextFile.withoutMark(lines).readLine(), place);
    int number = 1;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      String[] fields = line.strip().split("\\|", -1);
      if (!line.isBlank()) {
        read(number, heads, fields);
      }
    }
    List<Job> sorted = new ArrayList<>(jobs.values());
    sorted.sort(Comparator.comparingLong(Job::submitNs).thenComparingLong(Job::id));
    linesKnown.retainAll(jobs.keySet());
    return new Jobs(sorted, number - 1L, leftOut, linesKnown.size());
  }

  private static List<String> heads(String first, String place) {
    List<String> heads = first == null ? List.of() : Arrays.asList(first.strip().split("\\|", -1));
    List<String> missing = COLUMNS.stream().filter(column -> !heads.contains(column)).toList();
    if (!missing.isEmpty()) {
      throw new SimulatorException(
          place + ": its first line has no " + String.join(", ", missing),
          "print it with " + COMMAND);
    }
    return heads;
  }

  private void read(int number, List<String> heads, String... fields) {
    String name = "line " + number + " (job " + fields[0];
    try {
      if (fields.length != heads.size()) {
        throw new Unplayable("has not as many fields as the first line");
      }
      Map<String, String> line = new HashMap<>();
      for (int i = 0; i < fields.length; i++) {
        line.put(heads.get(i), fields[i].strip());
      }
      add(number, line);
    } catch (Unplayable reason) {
      leftOut.add(reason.getMessage(), name + reason.detail + ")");
    }
  }

  private void add(int number, Map<String, String> line) throws Unplayable {
    String id = line.get("JobID");
    checkId(id);
    checkState(line.get("State"), line.get("Start"));
    Job job = job(number, line);
    Integer earlier = lineOf.put(id, number);
    if (earlier != null && jobs.remove(earlier) != null) {
      leftOut.add("ran again after a requeue", "line " + earlier + " (job " + id + ")");
    }
    jobs.put(number, job);
    if (assumptions.knownBytes().containsKey(rawId(line))) {
      linesKnown.add(number);
    }
  }

  private static void checkId(String id) throws Unplayable {
    if (id.contains(".")) {
      throw new Unplayable("is a step (sacct --allocations leaves them out)");
    }
    if (id.contains("+")) {
      throw new Unplayable("is of a heterogeneous job");
    }
    if (TASKS.matcher(id).matches()) {
      throw new Unplayable("is a list of tasks that never began");
    }
    if (!ID.matcher(id).matches()) {
      throw new Unplayable("has no job ID");
    }
  }

  private static void checkState(String state, String start) throws Unplayable {
    String word = state.split(" ", 2)[0];
    if (RUNNING.contains(word)) {
      throw new Unplayable("has not ended");
    }
    if (NOT_BEGUN.contains(word)) {
      throw new Unplayable("has not begun");
    }
    if (word.equals("REQUEUED")) {
      throw new Unplayable("ran again after a requeue");
    }
    if (word.equals("REVOKED")) {
      throw new Unplayable("was revoked: another cluster of the federation ran it");
    }
    if (!ENDED.contains(word)) {
      throw new Unplayable(
          "has an unknown State (truncated, or another format)",
          word.matches("[A-Z_]{1,30}") ? ", " + word : "");
    }
    if (start.equals("Unknown") || start.equals("None")) {
      throw new Unplayable("never began");
    }
  }

  private Job job(int number, Map<String, String> line) throws Unplayable {
    Tres tres = tres(line);
    int nodes = positive(line, "NNodes");
    if (tres.gpus() == 0) {
      throw new Unplayable(NO_GPU);
    }
    if (tres.gpus() % nodes != 0 || tres.gpus() > MAX_GPUS) {
      throw new Unplayable("has not the same number of GPUs on each node");
    }
    if (tres.gpuTypes().size() > 1 || tres.hasGpusOfOtherTypes()) {
      throw new Unplayable("has GPUs of several types");
    }
    long runNs = runNs(line);
    long submitNs = Math.max(timeNs(line, "Submit"), timeNs(line, "Eligible"));
    return new Job(
        number,
        submitNs,
        (int) Instant.ofEpochSecond(submitNs / NS).atZone(zone).toLocalDate().toEpochDay(),
        runNs,
        Math.max(runNs, limitNs(line)),
        nodes,
        tres.gpus() / nodes,
        (tres.cpus() + nodes - 1) / nodes,
        tres.hostBytes() / nodes,
        tres.gpuTypes(),
        assumptions.deviceBytes(rawId(line)),
        assumptions.busyPermille(),
        priority(line));
  }

  /** The number in Slurm; that of a task of an array is in no other column. */
  private static long rawId(Map<String, String> line) throws Unplayable {
    String id = line.getOrDefault(RAW_ID, line.get("JobID"));
    if (!line.containsKey(RAW_ID) && id.contains("_")) {
      return -1;
    }
    if (!RAW.matcher(id).matches()) {
      throw new Unplayable("has no number in " + RAW_ID);
    }
    return Long.parseLong(id);
  }

  private static Tres tres(Map<String, String> line) throws Unplayable {
    try {
      Tres tres =
          Tres.of(line.get("AllocTRES"), line.get("ReqTRES"))
              .orElseThrow(() -> new Unplayable("has no TRES"));
      if (tres.gpus() < 0 || tres.cpus() < 0 || tres.hostBytes() < 0) {
        throw new Unplayable("has TRES that are no numbers");
      }
      return tres;
    } catch (NumberFormatException notOne) {
      throw new Unplayable("has TRES that are no numbers");
    }
  }

  /** Start, End and ElapsedRaw contain the run time twice: if they differ, neither is reliable. */
  private long runNs(Map<String, String> line) throws Unplayable {
    long elapsedS = positiveOrZero(line, "ElapsedRaw");
    long startNs = timeNs(line, "Start");
    long endNs = timeNs(line, "End");
    if (Math.abs(endNs - startNs - elapsedS * NS) > NS || timeNs(line, "Submit") > startNs) {
      throw new Unplayable(
          "has times that contradict each other (a clock change, or it was suspended)");
    }
    if (elapsedS == 0) {
      throw new Unplayable("ran for less than a second");
    }
    return elapsedS * NS;
  }

  private static long limitNs(Map<String, String> line) throws Unplayable {
    String text = line.get("TimelimitRaw");
    if (text.isEmpty() || text.equals("UNLIMITED") || text.equals("Partition_Limit")) {
      return UNLIMITED_NS;
    }
    return Math.min(UNLIMITED_NS, TimeUnit.MINUTES.toNanos(positiveOrZero(line, "TimelimitRaw")));
  }

  private static long priority(Map<String, String> line) throws Unplayable {
    return line.get("Priority").isEmpty() ? 0 : positiveOrZero(line, "Priority");
  }

  private long timeNs(Map<String, String> line, String column) throws Unplayable {
    String text = line.get(column);
    try {
      long seconds =
          SECONDS.matcher(text).matches()
              ? Long.parseLong(text)
              : LocalDateTime.parse(text).atZone(zone).toEpochSecond();
      if (seconds > 0 && seconds < Long.MAX_VALUE / NS) {
        return seconds * NS;
      }
    } catch (DateTimeException notOne) {
      // told below
    }
    throw new Unplayable("has a time in " + column + " that cannot be read");
  }

  private static int positive(Map<String, String> line, String column) throws Unplayable {
    long number = positiveOrZero(line, column);
    if (number == 0 || number > Integer.MAX_VALUE) {
      throw new Unplayable("has no number in " + column);
    }
    return (int) number;
  }

  private static long positiveOrZero(Map<String, String> line, String column) throws Unplayable {
    if (!NUMBER.matcher(line.get(column)).matches()) {
      throw new Unplayable("has no number in " + column);
    }
    return Long.parseLong(line.get(column));
  }
}
