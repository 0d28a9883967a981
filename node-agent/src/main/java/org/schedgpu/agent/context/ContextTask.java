package org.schedgpu.agent.context;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.context.ContextLearner.Sample;
import org.schedgpu.agent.context.ContextLearner.Seen;
import org.schedgpu.agent.context.LearnedContexts.Kind;
import org.schedgpu.agent.device.NvmlAccess;
import org.schedgpu.agent.log.LogOnce;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.process.HostProcess;
import org.schedgpu.agent.process.HostProcesses;
import org.schedgpu.agent.process.JobFinder;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.task.PeriodicTask;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.DeviceSpec;
import org.schedgpu.jna.GpuProcess;
import org.schedgpu.jna.Nvml;
import org.schedgpu.jna.Nvml.NvmlException;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.SchedGpu;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures the size of CUDA contexts, so that the region agrees with NVML. A learned size is used
 * for a device as soon as no job depends on the old size.
 */
public final class ContextTask implements PeriodicTask {
  private static final Logger LOG = LoggerFactory.getLogger(ContextTask.class);
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(10);

  /** Changes below this part of the size are ignored. */
  private static final int NO_DIFFERENCE = 50;

  private final RegionAccess access;
  private final NvmlAccess nvml;
  private final Supplier<Conf> conf;
  private final HostProcesses processes;
  private final Map<Kind, ContextLearner> learners = new HashMap<>();
  private final LogOnce problem = new LogOnce(LOG);
  private final ContextBounds trust = new ContextBounds(LOG::warn);
  private Optional<String> driver = Optional.empty();
  private LearnedContexts learned;
  private Path file;
  private int changes;

  /**
   * For a region.
   *
   * @param access of the thread that runs this task, as nvml
   * @param conf gives the current configuration
   * @param processes of this machine
   */
  public ContextTask(
      RegionAccess access, NvmlAccess nvml, Supplier<Conf> conf, HostProcesses processes) {
    this.access = access;
    this.nvml = nvml;
    this.conf = conf;
    this.processes = processes;
  }

  @Override
  public String name() {
    return "contexts";
  }

  /** Changes whenever a size was learned or the driver became known. */
  public int changes() {
    return changes;
  }

  /** The device with the learned context size, within the bounds. */
  public DeviceSpec with(DeviceSpec device) {
    if (learned == null || driver.isEmpty()) {
      return device;
    }
    OptionalLong bytes = learned.of(new Kind(device.name(), driver.get()));
    return device.withContextBytes(
        trust.bytes(conf.get(), device.name(), bytes, device.contextBytes()));
  }

  @Override
  public long run(long nowNs) {
    Optional<Nvml> library = nvml.nvml(nowNs);
    if (conf.get().learnContext() && library.isPresent()) {
      try {
        prepare(library.get());
        access.region().ifPresent(region -> sample(region, library.get()));
      } catch (NvmlException failed) {
        nvml.failed(nowNs);
        throw failed;
      }
    }
    return LOOK_NS;
  }

  private void prepare(Nvml library) {
    Path now = conf.get().contextFile();
    Optional<String> version = Optional.of(library.driverVersion());
    if (!now.equals(file) || !version.equals(driver)) {
      file = now;
      driver = version;
      learned = LearnedContexts.read(now);
      learners.clear();
      changes++;
    }
  }

  private void sample(SchedGpu region, Nvml library) {
    if (access.liveSnapshot().clients().stream()
        .allMatch(client -> client.contextBytes().isEmpty())) {
      learners.values().forEach(learner -> learner.observe(List.of()));
      return;
    }
    RegionSnapshot before = region.liveSnapshot();
    Map<String, Optional<List<GpuProcess>>> lists = new HashMap<>();
    library.devices().forEach(device -> lists.put(device.uuid(), device.processes()));
    RegionSnapshot after = region.liveSnapshot();
    Map<Kind, List<Sample>> samples = new HashMap<>();
    for (Device device : after.devices()) {
      lists
          .getOrDefault(device.uuid(), Optional.empty())
          .ifPresent(
              seen ->
                  samples
                      .computeIfAbsent(kind(device), kind -> new ArrayList<>())
                      .addAll(samples(device.index(), seen, before, after)));
    }
    samples.forEach(this::learn);
  }

  private Kind kind(Device device) {
    return new Kind(device.name(), driver.orElseThrow());
  }

  private List<Sample> samples(
      int device, List<GpuProcess> seen, RegionSnapshot before, RegionSnapshot after) {
    Map<Integer, Client> earlier =
        before.clients().stream().collect(Collectors.toMap(Client::record, client -> client));
    JobFinder finder = new JobFinder(after, processes::find, processes.ownPidNamespace());
    List<Sample> samples = new ArrayList<>();
    for (GpuProcess process : seen) {
      Optional<HostProcess> host = processes.find(process.pid());
      Optional<Client> now = host.flatMap(finder::clientOf);
      Optional<Client> then = now.map(client -> earlier.get(client.record()));
      if (process.usedBytes().isPresent() && then.isPresent() && hasContext(now.get(), device)) {
        samples.add(
            new Sample(
                new Seen(host.get().uid(), process.pid(), now.get().record()),
                process.usedBytes().getAsLong(),
                inUse(then.get(), device),
                inUse(now.get(), device)));
      }
    }
    return samples;
  }

  private static boolean hasContext(Client client, int device) {
    return client.contextBytes().getOrDefault(device, 0L) > 0;
  }

  private static long inUse(Client client, int device) {
    return client.inUseBytes().getOrDefault(device, 0L);
  }

  private void learn(Kind kind, List<Sample> samples) {
    ContextLearner learner = learners.computeIfAbsent(kind, one -> new ContextLearner());
    learner.observe(samples);
    OptionalLong now = learner.contextBytes();
    long known = learned.of(kind).orElse(0);
    if (now.isEmpty() || Math.abs(now.getAsLong() - known) <= known / NO_DIFFERENCE) {
      return;
    }
    changes++;
    LOG.info(
        "context name=\"{}\" driver={} bytes={}: learned of {} of {}, was {}{}",
        kind.name(),
        kind.driver(),
        now.getAsLong(),
        Texts.count(learner.processes(), "process", "processes"),
        Texts.count(learner.users(), "user", "users"),
        known == 0 ? "not known" : Long.toString(known),
        conf.get().brokered() ? "; not used with Mode=brokered" : "");
    try {
      learned.put(kind, now.getAsLong());
      problem.over();
    } catch (IOException failed) {
      problem.tell(
          "contexts: " + file + " cannot be written (" + failed.getMessage() + "): see ContextFile",
          new AgentException(""));
    }
  }
}
