package org.schedgpu.agent;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jline.utils.Signals;
import org.schedgpu.agent.broker.BrokerTask;
import org.schedgpu.agent.command.ExitCode;
import org.schedgpu.agent.command.SchedgpuCommand;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.context.ContextTask;
import org.schedgpu.agent.device.DeviceHealthTask;
import org.schedgpu.agent.device.NvmlAccess;
import org.schedgpu.agent.history.HistoryTask;
import org.schedgpu.agent.history.UnscheduledJobs;
import org.schedgpu.agent.jobs.JobLogTask;
import org.schedgpu.agent.limit.DriverLimitTask;
import org.schedgpu.agent.log.AgentLog;
import org.schedgpu.agent.metrics.MetricsTask;
import org.schedgpu.agent.overrun.OverrunTask;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.process.HostProcesses;
import org.schedgpu.agent.process.JobEvidence;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.QueryClient;
import org.schedgpu.agent.query.QueryTask;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.setup.RegionSetupTask;
import org.schedgpu.agent.slurm.AbandonedJobsTask;
import org.schedgpu.agent.slurm.GresLinksTask;
import org.schedgpu.agent.slurm.SlurmAccounts;
import org.schedgpu.agent.slurm.SlurmCgroups;
import org.schedgpu.agent.slurm.SlurmControl;
import org.schedgpu.agent.slurm.SlurmQueue;
import org.schedgpu.agent.suggest.CommentTask;
import org.schedgpu.agent.suggest.LearnTask;
import org.schedgpu.agent.task.AgentCounts;
import org.schedgpu.agent.task.AgentLock;
import org.schedgpu.agent.task.CheckpointTask;
import org.schedgpu.agent.task.EventLoop;
import org.schedgpu.agent.task.HungLoopTask;
import org.schedgpu.agent.task.PeaksTask;
import org.schedgpu.agent.task.ReapTask;
import org.schedgpu.agent.task.Reaper;
import org.schedgpu.agent.task.WatchdogTask;
import org.schedgpu.agent.wait.StoppedTask;
import org.schedgpu.agent.wait.WaitTask;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.jna.ServiceNotice;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The daemon: two loops of tasks. Fast tasks (deaths, watchdog) have one thread; tasks that may
 * wait for NVML, Slurm or a name server have the other. To add a task, add a line to one of the
 * lists.
 */
final class Agent implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Agent.class);
  private static final long PATIENT_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long END_PATIENCE_MS = 2000;

  /** How long a scrape waits for a region whose lock a stopped process holds. */
  private static final long SCRAPE_PATIENT_NS = TimeUnit.SECONDS.toNanos(1);

  private final Path runDir;
  private final Supplier<Conf> reader;
  private final ServiceNotice notice;
  private final NvmlAccess nvml;
  private final Reaper reaper;
  private final EventLoop quick;
  private final EventLoop slowLoop;
  private final Thread slowThread;
  private volatile Conf conf;

  /**
   * @param reader reads the configuration, now and at each SIGHUP
   */
  Agent(AgentLock lock, Supplier<Conf> reader, String node, ServiceNotice notice) {
    this.runDir = lock.runDir();
    this.reader = reader;
    this.notice = notice;
    this.conf = reader.get();
    RegionAccess access = new RegionAccess(runDir, PATIENT_NS);
    AgentCounts counts = new AgentCounts();
    UnscheduledJobs unscheduled = new UnscheduledJobs();
    this.nvml = new NvmlAccess();
    ContextTask contexts = new ContextTask(access, nvml, () -> conf, HostProcesses.ofNode(runDir));
    this.slowLoop =
        new EventLoop(
            List.of(
                new RegionSetupTask(
                    access,
                    () -> conf,
                    node,
                    contexts,
                    this::ready,
                    text -> notice.send("STATUS=" + text)),
                new BrokerTask(access, () -> conf, counts),
                new CheckpointTask(access),
                new JobLogTask(access),
                new PeaksTask(access),
                new DriverLimitTask(access, nvml, () -> conf, new SlurmCgroups()),
                new OverrunTask(access, nvml, () -> conf, counts, unscheduled),
                new DeviceHealthTask(access, nvml, () -> conf, counts),
                contexts,
                new HistoryTask(
                    access, nvml, () -> conf, counts, new SlurmAccounts("squeue"), unscheduled),
                new QueryTask(
                    QueryClient.socket(runDir),
                    Questions.of(
                        new RegionAccess(runDir, PATIENT_NS),
                        new RegionAccess(runDir, PATIENT_NS),
                        () -> conf),
                    uid -> new Principal(uid, conf.jobsArePrivate())),
                new LearnTask(access, () -> conf),
                new CommentTask(access, () -> conf),
                new GresLinksTask(System.getenv(), SlurmVersion::installed),
                new AbandonedJobsTask(
                    access,
                    () -> conf,
                    new JobEvidence(HostProcesses.ofNode(runDir)),
                    new SlurmQueue("squeue")),
                new WaitTask(access, () -> conf, new SlurmControl("squeue", "scontrol"), node),
                new StoppedTask(access, new HostProcesses()),
                new MetricsTask(
                    new RegionAccess(runDir, SCRAPE_PATIENT_NS),
                    () -> conf.metricsListen(),
                    counts,
                    SchedgpuCommand.number())));
    this.reaper = new Reaper(new RegionAccess(runDir, ReapTask.LOCK_TIMEOUT_NS), counts);
    this.quick =
        new EventLoop(
            List.of(
                ReapTask.ofClients(reaper),
                ReapTask.ofRoot(reaper),
                new WatchdogTask(notice),
                new HungLoopTask(slowLoop)));
    this.slowThread = new Thread(slowLoop, "slow");
    slowThread.setUncaughtExceptionHandler((thread, problem) -> die(problem));
  }

  /** Runs until SIGTERM or SIGINT. SIGHUP reads the configuration again. */
  void run() {
    Signals.register("TERM", this::stop);
    Signals.register("INT", this::stop);
    Signals.register("HUP", this::reload);
    AgentLog.level(conf.logLevel());
    slowThread.setDaemon(true);
    slowThread.start();
    quick.run();
  }

  /** If one loop fails, the agent ends and systemd starts it again. */
  private static void die(Throwable problem) {
    LOG.error("ends: this is a defect, please report it", problem);
    Runtime.getRuntime().halt(ExitCode.FAILED);
  }

  private void ready() {
    quick.wakeAll(); // another region may have replaced it
    LOG.info("ready: process {}, run directory {}", ProcessHandle.current().pid(), runDir);
    notice.send("READY=1");
  }

  private void stop() {
    LOG.info("ends: asked to");
    notice.send("STOPPING=1");
    slowLoop.stop();
    quick.stop();
  }

  /** A wrong file changes nothing. */
  private void reload() {
    notice.send("RELOADING=1");
    try {
      Conf fresh = reader.get();
      if (!fresh.runDir().equals(conf.runDir())) {
        LOG.warn("RunDir={}: takes effect when the agent is started again", fresh.runDir());
      }
      conf = fresh;
      AgentLog.level(fresh.logLevel());
      LOG.info("configuration read again from {}", fresh.file());
    } catch (AgentException wrong) {
      wrong.getMessage().lines().forEach(LOG::error);
      LOG.error("the configuration is kept as it was: correct the file and reload again");
    }
    notice.send("READY=1");
    slowLoop.wakeAll();
  }

  /** Call it after {@link #run}. A thread that hangs in NVML is left behind. */
  @Override
  public void close() {
    slowLoop.stop();
    try {
      slowThread.join(END_PATIENCE_MS);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
    if (!slowThread.isAlive()) {
      slowLoop.close();
      nvml.close();
    }
    quick.close();
    reaper.close();
  }
}
