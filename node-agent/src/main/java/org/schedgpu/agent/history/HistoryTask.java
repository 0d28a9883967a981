package org.schedgpu.agent.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.device.NvmlAccess;
import org.schedgpu.agent.history.HistoryBatch.RegionKey;
import org.schedgpu.agent.log.LogOnce;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.agent.task.AgentCounts;
import org.schedgpu.agent.task.PeriodicTask;
import org.schedgpu.agent.text.UserNames;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the begin and end of jobs, what they asked for, and periodically what they and the
 * devices use. Jobs that ended while no agent ran are read from the region, which remembers the
 * last ones. If the file cannot be written, the agent continues without it and tries again.
 */
public final class HistoryTask implements PeriodicTask {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryTask.class);
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(10);

  private final RegionAccess access;
  private final Supplier<Conf> conf;
  private final NvmlSamples nvml;
  private final LogOnce problem = new LogOnce(LOG);
  private final UserNames users = new UserNames();
  private final UsageCounter usage;
  private final TurnCounter turns;
  private final JobAccounts accounts;
  private final UnscheduledJobs unscheduled;
  private Path file;
  private HistoryWriter writer;
  private JobSampler looks;
  private int opened;
  private long changes;
  private long sampleNs = System.nanoTime();
  private long pruneNs = System.nanoTime();

  /**
   * @param access to the region, of the thread of this task
   * @param nvml of the same thread
   * @param conf gives the current configuration
   * @param counts receives what users reserve and use
   * @param accounts says the account of a Slurm job, which may take some time; empty: unknown
   * @param unscheduled gives what ran unscheduled, of the same thread
   */
  public HistoryTask(
      RegionAccess access,
      NvmlAccess nvml,
      Supplier<Conf> conf,
      AgentCounts counts,
      LongFunction<Optional<String>> accounts,
      UnscheduledJobs unscheduled) {
    this.access = access;
    this.nvml = new NvmlSamples(nvml);
    this.conf = conf;
    this.usage = new UsageCounter(counts, users);
    this.turns = new TurnCounter(counts);
    this.accounts = new JobAccounts(accounts);
    this.unscheduled = unscheduled;
  }

  @Override
  public String name() {
    return "history";
  }

  @Override
  public long run(long nowNs) {
    SchedGpu region = access.region().orElse(null);
    if (region == null) {
      return LOOK_NS;
    }
    try {
      open(conf.get().historyFile());
      look(region, nowNs);
      writeUnscheduled();
      accounts.look(writer, Clock.now(), nowNs);
      prune(nowNs);
      problem.over();
      return LOOK_NS;
    } catch (HistoryException failed) {
      stop();
      if (failed.damaged()) {
        moveAside();
        return 0;
      }
      problem.tell(failed.getMessage(), failed);
      return RETRY_NS;
    }
  }

  private void open(Path wanted) {
    if (!wanted.equals(file)) {
      stop();
      file = wanted;
    }
    if (writer == null) {
      writer = HistoryWriter.open(file);
      looks = null;
    }
  }

  private void look(SchedGpu region, long nowNs) {
    boolean sampling = nowNs - sampleNs >= 0;
    if (looks == null || access.opened() != opened) {
      opened = access.opened();
      looks = null;
      changes = -1; // odd: a region at rest never has such a number
    }
    long before = region.changes();
    if (before == changes && !sampling) {
      return;
    }
    RegionSnapshot snapshot = snapshot(region);
    Clock clock = Clock.now();
    if (looks == null) {
      looks = looks(snapshot);
    }
    List<DeviceSample> samples = sampling ? nvml.added(samples(snapshot, clock), nowNs) : List.of();
    HistoryBatch look = looks.look(snapshot, clock, samples);
    writer.write(look);
    looks.written(look);
    tellMissed(look);
    changes = before;
    turns.add(look, writer, clock, conf.get().metricsByUser());
    if (sampling) {
      usage.add(look, snapshot, writer, conf.get().metricsByUser());
      sampleNs = nowNs + conf.get().sampleEveryNs();
    }
  }

  /** After a look, which has written their jobs. */
  private void writeUnscheduled() {
    if (!unscheduled.waiting().isEmpty()) {
      writer.unscheduled(looks.region(), unscheduled.waiting());
      unscheduled.written();
    }
  }

  private RegionSnapshot snapshot(SchedGpu region) {
    try {
      return region.snapshotAfter(looks == null ? 0 : looks.lastSequence());
    } catch (SchedGpuException failed) {
      access.failed(failed);
      throw failed;
    }
  }

  private static List<DeviceSample> samples(RegionSnapshot snapshot, Clock clock) {
    Shares shares = new Shares(snapshot);
    return snapshot.devices().stream()
        .map(device -> JobSampler.sample(snapshot, shares, device, clock))
        .toList();
  }

  private JobSampler looks(RegionSnapshot snapshot) {
    RegionKey key = new RegionKey(Clock.bootId(), access.runDir().toString(), snapshot.createdNs());
    return new JobSampler(key, writer.running(key).keySet(), writer.lastSequence(key), users);
  }

  private static void tellMissed(HistoryBatch look) {
    if (look.missed() > 0) {
      LOG.warn("history: {} jobs ended that no agent saw: they are not remembered", look.missed());
    }
  }

  private void prune(long nowNs) {
    if (nowNs - pruneNs >= 0) {
      Conf now = conf.get();
      boolean more =
          HistoryPruner.step(
              writer.sql(), Clock.now().nowNs(), now.historyKeepNs(), now.historyMaxBytes());
      pruneNs = nowNs + (more ? LOOK_NS : RETRY_NS);
    }
  }

  /** A damaged file is renamed for later inspection, and a new one begins. */
  private void moveAside() {
    Path aside = file.resolveSibling(file.getFileName() + ".damaged");
    try {
      // the log first: SQLite must never apply it to the new file
      move(
          file.resolveSibling(file.getFileName() + "-wal"),
          aside.resolveSibling(aside.getFileName() + "-wal"));
      Files.deleteIfExists(file.resolveSibling(file.getFileName() + "-shm"));
      move(file, aside);
      LOG.warn("history: {}: is damaged, and was moved to {}: a new one begins", file, aside);
    } catch (IOException failed) {
      throw new HistoryException(
          "history: %s: is damaged, and cannot be moved aside (%s): remove it"
              .formatted(file, failed.getMessage()));
    }
  }

  private static void move(Path from, Path to) throws IOException {
    Files.deleteIfExists(to);
    if (Files.exists(from)) {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private void stop() {
    if (writer != null) {
      HistoryWriter closing = writer;
      writer = null;
      looks = null;
      try {
        closing.close();
      } catch (HistoryException ofNoInterest) {
        return;
      }
    }
  }

  @Override
  public void close() {
    stop();
  }
}
