package org.schedgpu.agent.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.log.LogOnce;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.task.AgentCounts;
import org.schedgpu.agent.task.PeriodicTask;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * With Mode=brokered: keeps the broker running, also after the region was replaced. A region that
 * was created for the other mode stays unchanged until it is removed; the agent logs that.
 */
public final class BrokerTask implements PeriodicTask {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerTask.class);
  private static final long EVERY_NS = TimeUnit.MILLISECONDS.toNanos(200);

  /** A change of the configuration wakes it. */
  private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(1);

  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");
  private static final int GROUP_AND_OTHERS = 0066;

  private final RegionAccess access;
  private final Supplier<Conf> conf;
  private final AgentCounts counts;
  private final LogOnce mismatch = new LogOnce(LOG);
  private BrokerServer server;
  private boolean adopting;
  private int servedRegion;
  private Conf told;
  private int compared;
  private Conf comparedTo;

  /**
   * For a region.
   *
   * @param access of the thread that runs this task
   * @param conf gives the current configuration
   * @param counts receives the number of connected clients
   */
  public BrokerTask(RegionAccess access, Supplier<Conf> conf, AgentCounts counts) {
    this.access = access;
    this.conf = conf;
    this.counts = counts;
  }

  @Override
  public String name() {
    return "broker";
  }

  @Override
  public long run(long nowNs) {
    Optional<SchedGpu> region = access.region();
    boolean wanted = conf.get().brokered() && region.isPresent();
    if (server != null && (!wanted || !server.serves() || servedRegion != access.opened())) {
      stop();
    }
    if (region.isPresent() && (compared != access.opened() || comparedTo != conf.get())) {
      compared = access.opened();
      comparedTo = conf.get();
      compare(region.get());
    }
    if (wanted) {
      serve(conf.get());
      tellAdopted();
    }
    counts.brokerConnections(
        server == null ? OptionalLong.empty() : OptionalLong.of(server.count("connections")));
    return wanted ? EVERY_NS : IDLE_NS;
  }

  private void compare(SchedGpu region) {
    boolean closed = (region.info().mode() & GROUP_AND_OTHERS) == 0;
    if (closed == conf.get().brokered()) {
      mismatch.over();
      return;
    }
    mismatch.tell(
        "region: it was made for Mode=%s: drain the node and run schedgpu setup --remove"
            .formatted(closed ? "brokered" : "shared"),
        new AgentException(""));
  }

  private void serve(Conf now) {
    if (server == null) {
      start(access.runDir(), now);
    } else if (now != told) { // the configuration was read again
      server.terms(now);
    }
    server.readSubordinates();
    told = now;
  }

  /**
   * Clients are known by the inode number of their liveness file, and sockets by theirs. A disk
   * gives the number of a removed file to the next one, which would then pass for the old one.
   */
  static void requireMemory(Path runDir) {
    String type;
    try {
      type = Files.getFileStore(runDir).type();
    } catch (IOException problem) {
      throw new AgentException(
          "RunDir=%s: cannot be examined (%s)".formatted(runDir, problem.getMessage()), problem);
    }
    if (!IN_MEMORY.contains(type)) {
      throw new AgentException(
          ("RunDir=%s is on %s: with Mode=brokered the agent serves on tmpfs only: set it to a"
                  + " folder below /run")
              .formatted(runDir, type));
    }
  }

  /** A server of the run directory, which must be in memory, on a kernel that can serve. */
  static BrokerServer serving(Path runDir, Conf now) {
    requireMemory(runDir);
    BrokerKernel.require(now);
    return new BrokerServer(runDir, now);
  }

  private void start(Path runDir, Conf now) {
    server = serving(runDir, now);
    servedRegion = access.opened();
    adopting = true;
    LOG.info("serves clients at {}", runDir.resolve("agent.sock"));
  }

  /** Returns once the server has looked for clients of an earlier agent. */
  private void tellAdopted() {
    if (!adopting || server.count("adopting") > 0) {
      return;
    }
    adopting = false;
    long adopted = server.count("adopted");
    long missed = server.count("not_adopted");
    if (missed > 0) {
      LOG.warn(
          "adopted={} missed={}: what these programs give back counts when they ask for something"
              + " or end{}",
          adopted,
          missed,
          server.count("adoption_denied") > 0
              ? ": the agent needs CAP_CHECKPOINT_RESTORE (before Linux 5.9 CAP_SYS_ADMIN)"
              : "");
    } else if (adopted > 0) {
      LOG.info("adopted={}", adopted);
    }
  }

  private void stop() {
    server
        .problem()
        .filter(why -> !isNewRegion(why))
        .ifPresent(why -> LOG.error("does not serve clients: {}", why.getMessage()));
    server.close();
    server = null;
  }

  private static boolean isNewRegion(RuntimeException why) {
    return why instanceof SchedGpuException failed && failed.code() == ErrorCode.ENOREGION;
  }

  @Override
  public void close() {
    if (server != null) {
      stop();
    }
  }
}
