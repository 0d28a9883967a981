package org.schedgpu.agent.setup;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.context.ContextTask;
import org.schedgpu.agent.log.LogOnce;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.task.PeriodicTask;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.RegionInfo;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the region available and correct: creates it after a boot or a removal, and periodically
 * repairs its files, checks every invariant and writes the checkpoint.
 */
public final class RegionSetupTask implements PeriodicTask {
  private static final Logger LOG = LoggerFactory.getLogger(RegionSetupTask.class);
  private static final long GLANCE_NS = TimeUnit.SECONDS.toNanos(1);

  /** The driver may be loaded later. */
  private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(10);

  private final RegionAccess access;
  private final Supplier<Conf> conf;
  private final String node;
  private final ContextTask contexts;
  private final Runnable ready;
  private final Consumer<String> status;
  private final LogOnce problem = new LogOnce(LOG);
  private final LogOnce damage = new LogOnce(LOG);
  private final LogOnce replaced = new LogOnce(LOG);
  private Conf setUpFor;
  private RegionSetup wanted;
  private long checkNs = System.nanoTime();
  private long repairs = -1;
  private int opened;
  private boolean told;
  private int learned;

  /**
   * @param contexts learned context sizes of the devices
   * @param ready is called once, when the region exists or cannot be made
   * @param status gets one line that describes the region, or says why there is none
   */
  public RegionSetupTask(
      RegionAccess access,
      Supplier<Conf> conf,
      String node,
      ContextTask contexts,
      Runnable ready,
      Consumer<String> status) {
    this.access = access;
    this.conf = conf;
    this.node = node;
    this.contexts = contexts;
    this.ready = ready;
    this.status = status;
  }

  @Override
  public String name() {
    return "keep";
  }

  @Override
  public long run(long nowNs) {
    Conf now = conf.get();
    boolean missing = access.region().isEmpty();
    long nextNs = GLANCE_NS;
    if (missing || now != setUpFor || contexts.changes() != learned || nowNs - checkNs >= 0) {
      nextNs = keep(now, nowNs);
    }
    if (!told) {
      told = true;
      ready.run();
    }
    return nextNs;
  }

  private long keep(Conf now, long nowNs) {
    try {
      setUp(now);
      check();
      status.accept("Looks after %s in %s".formatted(devices(), access.runDir()));
      problem.over();
      checkNs = nowNs + now.checkEveryNs();
      return GLANCE_NS;
    } catch (SchedGpuException failed) {
      access.failed(failed);
      tell(failed);
    } catch (RegionUpdate.InUse inUse) {
      tell(inUse);
      return GLANCE_NS; // it is replaced as soon as the last process has ended
    } catch (RuntimeException failed) {
      tell(failed);
    }
    return RETRY_NS;
  }

  private void tell(RuntimeException failed) {
    String text = "region: " + failed.getMessage();
    problem.tell(text, failed);
    status.accept(text.lines().findFirst().orElseThrow());
  }

  /** NVML is asked once for each configuration. */
  private void setUp(Conf now) {
    if (now != setUpFor) {
      wanted = RegionSetup.of(now, Optional.empty(), node, NodeFactsReader.contextBytes());
      setUpFor = now;
      ReplacedGpus.find(now.devicesFile(), node)
          .ifPresentOrElse(
              what -> replaced.tell(what + ": " + ReplacedGpus.TODO, new AgentException("")),
              replaced::over);
    }
    learned = contexts.changes();
    RegionUpdate.setUp(access.runDir(), wanted.with(contexts::with).setup())
        .ifPresent(other -> LOG.info("region {}", RegionUpdate.replaced(access.runDir(), other)));
    SchedGpu region = access.region().orElseThrow();
    if (access.opened() != opened) {
      opened = access.opened();
      repairs = -1;
      LOG.info("region {}: ready, {} of {}", access.runDir(), devices(), wanted.source());
    }
    RegionInfo info = region.info();
    if (repairs >= 0 && info.repairs() > repairs) {
      LOG.warn("region: damage was found and repaired ({} times so far)", info.repairs());
    }
    repairs = info.repairs();
  }

  private String devices() {
    return Texts.count(wanted.setup().devices().size(), "device", "devices");
  }

  private void check() {
    SchedGpu region = access.region().orElseThrow();
    Optional<String> wrong = region.check();
    if (wrong.isPresent()) {
      damage.tell("region: " + wrong.get() + ": see schedgpu doctor", new AgentException(""));
    } else {
      damage.over();
    }
  }
}
