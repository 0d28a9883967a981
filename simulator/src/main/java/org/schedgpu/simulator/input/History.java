package org.schedgpu.simulator.input;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.schedgpu.gres.common.Json;
import org.schedgpu.simulator.job.Job;
import org.schedgpu.simulator.problem.SimulatorException;

/**
 * What agents remember of jobs: {@code schedgpu history --json} of each node. A job that is in
 * several files ran on several nodes; one that is in a file twice counts as it ran last.
 */
public final class History {
  private static final String AGAIN = "print it with schedgpu history --json --limit 1000000";
  private static final long NO_LIMIT_NS = TimeUnit.DAYS.toNanos(3650);
  private static final long NS = TimeUnit.SECONDS.toNanos(1);

  private final LeftOut leftOut = new LeftOut();
  private final Map<Long, Seen> jobs = new TreeMap<>();
  private long read;

  /** A job, on all nodes that were read so far. */
  private record Seen(
      long beginNs,
      long endNs,
      long waitedNs,
      int nodes,
      int gpus,
      long peakBytes,
      boolean withContexts,
      boolean even) {
    Seen with(Seen other) {
      return new Seen(
          Math.min(beginNs, other.beginNs),
          Math.max(endNs, other.endNs),
          Math.max(waitedNs, other.waitedNs),
          nodes + other.nodes,
          gpus,
          Math.max(peakBytes, other.peakBytes),
          withContexts || other.withContexts,
          even && other.even && gpus == other.gpus);
    }
  }

  /** An entry that cannot be simulated. */
  private static final class Unplayable extends Exception {
    private static final long serialVersionUID = 1L;

    Unplayable(String why) {
      super(why);
    }
  }

  private History() {}

  /**
   * Reads the files of the nodes.
   *
   * @throws SimulatorException if a file does not come from schedgpu history
   */
  public static History read(List<Path> files) throws IOException {
    History history = new History();
    for (Path file : files) {
      history.read(file);
    }
    return history;
  }

  private void read(Path file) throws IOException {
    String text = TextFile.read(file);
    Map<?, ?> answer = Json.read(text, Map.class, file.toString(), AGAIN);
    if (!(answer.get("jobs") instanceof List<?> entries)) {
      throw new SimulatorException(file + ": has no jobs", AGAIN);
    }
    Map<Long, Seen> here = new TreeMap<>();
    for (Object entry : entries) { // newest first
      read++;
      String name = (entry instanceof Map<?, ?> map ? map.get("job") : entry) + " of " + file;
      try {
        Map<?, ?> job = entry instanceof Map<?, ?> map ? map : Map.of();
        Seen seen = seen(job);
        if (here.putIfAbsent(number(job, "id"), seen) != null) {
          throw new Unplayable("ran again after a requeue");
        }
      } catch (Unplayable reason) {
        leftOut.add(reason.getMessage(), name);
      }
    }
    here.forEach((id, seen) -> jobs.merge(id, seen, Seen::with));
  }

  private static Seen seen(Map<?, ?> job) throws Unplayable {
    if (!"slurm".equals(job.get("kind"))) {
      throw new Unplayable("is no job of Slurm");
    }
    if ("running".equals(job.get("state"))) {
      throw new Unplayable("has not ended");
    }
    if (!"ended".equals(job.get("state"))) {
      throw new Unplayable("nobody saw its end");
    }
    if (!(job.get("devices") instanceof List<?> devices) || devices.isEmpty()) {
      throw new Unplayable("has no GPU");
    }
    long peakBytes = 0;
    boolean withContexts = false;
    for (Object entry : devices) {
      Map<?, ?> device = entry instanceof Map<?, ?> map ? map : Map.of();
      peakBytes = Math.max(peakBytes, number(device, "peakBytes"));
      withContexts |= device.get("contextPeakBytes") == null; // of an older agent
    }
    return new Seen(
        number(job, "begunNs"),
        number(job, "endedNs"),
        number(job, "waitedNs"),
        1,
        devices.size(),
        peakBytes,
        withContexts,
        true);
  }

  private static long number(Map<?, ?> map, String key) throws Unplayable {
    if (map.get(key) instanceof Number number && number.longValue() >= 0) {
      return number.longValue();
    }
    throw new Unplayable("has no number in " + key);
  }

  /**
   * The most memory that each job used on a device, by its number in Slurm; without those of which
   * nothing is known.
   *
   * @param contextBytes of each process's context, which older agents recorded with it
   */
  public Map<Long, Long> deviceBytes(long contextBytes) {
    Map<Long, Long> known = new TreeMap<>();
    jobs.forEach(
        (id, seen) -> {
          if (seen.peakBytes() > 0) {
            long context = seen.withContexts() ? contextBytes : 0;
            known.put(id, Math.max(1, seen.peakBytes() - context));
          }
        });
    return known;
  }

  /**
   * The jobs, as if they had come when they began on their nodes.
   *
   * @param zone of days
   */
  public Jobs jobs(ZoneId zone, Assumptions assumptions) {
    List<Job> played = new ArrayList<>();
    jobs.forEach(
        (id, seen) -> {
          long runNs = seen.endNs() - seen.beginNs() - seen.waitedNs();
          String name = "slurm:" + id;
          if (!seen.even()) {
            leftOut.add("has not the same number of GPUs on each node", name);
          } else if (runNs < NS) {
            leftOut.add("ran for less than a second", name);
          } else {
            played.add(job(id, seen, runNs, zone, assumptions));
          }
        });
    played.sort(Comparator.comparingLong(Job::submitNs).thenComparingLong(Job::id));
    long known =
        played.stream().filter(job -> assumptions.knownBytes().containsKey(job.id())).count();
    return new Jobs(played, read, leftOut, known);
  }

  private static Job job(long id, Seen seen, long runNs, ZoneId zone, Assumptions assumptions) {
    long beginS = seen.beginNs() / NS;
    return new Job(
        id,
        seen.beginNs(),
        (int) Instant.ofEpochSecond(beginS).atZone(zone).toLocalDate().toEpochDay(),
        runNs,
        NO_LIMIT_NS,
        seen.nodes(),
        seen.gpus(),
        0,
        0,
        List.of(),
        assumptions.deviceBytes(id),
        assumptions.busyPermille(),
        0);
  }
}
