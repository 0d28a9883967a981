package org.schedgpu.agent;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.schedgpu.agent.broker.BrokerDuty;
import org.schedgpu.agent.command.ExitCode;
import org.schedgpu.agent.command.SchedgpuCommand;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.context.ContextDuty;
import org.schedgpu.agent.device.DeviceHealthDuty;
import org.schedgpu.agent.device.NvmlAccess;
import org.schedgpu.agent.duty.AgentCounts;
import org.schedgpu.agent.duty.AgentLock;
import org.schedgpu.agent.duty.CheckpointDuty;
import org.schedgpu.agent.duty.EventLoop;
import org.schedgpu.agent.duty.PatienceDuty;
import org.schedgpu.agent.duty.PeaksDuty;
import org.schedgpu.agent.duty.ReapDuty;
import org.schedgpu.agent.duty.Reaper;
import org.schedgpu.agent.duty.WatchdogDuty;
import org.schedgpu.agent.history.HistoryDuty;
import org.schedgpu.agent.jobs.JobLogDuty;
import org.schedgpu.agent.limit.DriverLimitDuty;
import org.schedgpu.agent.log.AgentLog;
import org.schedgpu.agent.metrics.MetricsDuty;
import org.schedgpu.agent.overrun.OverrunDuty;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.process.HostProcesses;
import org.schedgpu.agent.process.JobEvidence;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.setup.KeepDuty;
import org.schedgpu.agent.sight.SightClient;
import org.schedgpu.agent.sight.SightDuty;
import org.schedgpu.agent.sight.Viewer;
import org.schedgpu.agent.slurm.GresLinksDuty;
import org.schedgpu.agent.slurm.LeftJobsDuty;
import org.schedgpu.agent.slurm.SlurmCgroups;
import org.schedgpu.agent.slurm.SlurmQueue;
import org.schedgpu.agent.suggest.CommentDuty;
import org.schedgpu.agent.suggest.LearnDuty;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.jna.ServiceNotice;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sun.misc.Signal;

/**
 * The daemon: two loops of duties. What is to be quick (deaths, signs of life) has a thread of its
 * own; what may wait for NVML, for Slurm or for a name server has the other. A duty more is one
 * line in one of the lists.
 */
final class Agent implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Agent.class);
  private static final long PATIENT_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long END_PATIENCE_MS = 2000;

  /** How long a scrape waits for a region in which somebody is stopped. */
  private static final long SCRAPE_PATIENT_NS = TimeUnit.SECONDS.toNanos(1);

  private final Path runDir;
  private final Supplier<Conf> reader;
  private final ServiceNotice notice;
  private final NvmlAccess nvml;
  private final Reaper reaper;
  private final EventLoop quick;
  private final EventLoop patient;
  private final Thread patientThread;
  private volatile Conf conf;

  /**
   * @param reader reads the configuration, now and whenever it is asked to
   */
  Agent(AgentLock lock, Supplier<Conf> reader, String node, ServiceNotice notice) {
    this.runDir = lock.runDir();
    this.reader = reader;
    this.notice = notice;
    this.conf = reader.get();
    RegionAccess access = new RegionAccess(runDir, PATIENT_NS);
    AgentCounts counts = new AgentCounts();
    this.nvml = new NvmlAccess();
    ContextDuty contexts = new ContextDuty(access, nvml, () -> conf, HostProcesses.ofNode(runDir));
    this.patient =
        new EventLoop(
            List.of(
                new KeepDuty(
                    access,
                    () -> conf,
                    node,
                    contexts,
                    this::ready,
                    text -> notice.send("STATUS=" + text)),
                new BrokerDuty(access, () -> conf, counts),
                new CheckpointDuty(access),
                new JobLogDuty(access),
                new PeaksDuty(access),
                new DriverLimitDuty(access, nvml, () -> conf, new SlurmCgroups()),
                new OverrunDuty(access, nvml, () -> conf, counts),
                new DeviceHealthDuty(access, nvml, () -> conf, counts),
                contexts,
                new HistoryDuty(access, nvml, () -> conf),
                new SightDuty(
                    SightClient.socket(runDir),
                    Questions.of(
                        new RegionAccess(runDir, PATIENT_NS),
                        new RegionAccess(runDir, PATIENT_NS),
                        () -> conf),
                    uid -> new Viewer(uid, conf.jobsArePrivate())),
                new LearnDuty(access, () -> conf),
                new CommentDuty(access, () -> conf),
                new GresLinksDuty(System.getenv(), SlurmVersion::installed),
                new LeftJobsDuty(
                    access,
                    () -> conf,
                    new JobEvidence(HostProcesses.ofNode(runDir)),
                    new SlurmQueue("squeue")),
                new MetricsDuty(
                    new RegionAccess(runDir, SCRAPE_PATIENT_NS),
                    () -> conf.metricsListen(),
                    counts,
                    SchedgpuCommand.number())));
    this.reaper = new Reaper(new RegionAccess(runDir, ReapDuty.LOCK_TIMEOUT_NS), counts);
    this.quick =
        new EventLoop(
            List.of(
                ReapDuty.ofClients(reaper),
                ReapDuty.ofRoot(reaper),
                new WatchdogDuty(notice),
                new PatienceDuty(patient)));
    this.patientThread = new Thread(patient, "patient");
    patientThread.setUncaughtExceptionHandler((thread, problem) -> die(problem));
  }

  /** Until SIGTERM or SIGINT. SIGHUP reads the configuration again. */
  void run() {
    Signal.handle(new Signal("TERM"), signal -> stop());
    Signal.handle(new Signal("INT"), signal -> stop());
    Signal.handle(new Signal("HUP"), signal -> reload());
    AgentLog.level(conf.logLevel());
    patientThread.setDaemon(true);
    patientThread.start();
    quick.run();
  }

  /** Half an agent is none: systemd starts a whole one. */
  private static void die(Throwable problem) {
    LOG.error("ends: this is a defect, please report it", problem);
    Runtime.getRuntime().halt(ExitCode.FAILED);
  }

  private void ready() {
    quick.wakeAll(); // the region may be new
    LOG.info("ready: process {}, run directory {}", ProcessHandle.current().pid(), runDir);
    notice.send("READY=1");
  }

  private void stop() {
    LOG.info("ends: asked to");
    notice.send("STOPPING=1");
    patient.stop();
    quick.stop();
  }

  /** A file that is wrong changes nothing. */
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
    patient.wakeAll();
  }

  /** After {@link #run}. A thread that NVML does not let go of is left behind. */
  @Override
  public void close() {
    patient.stop();
    try {
      patientThread.join(END_PATIENCE_MS);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
    if (!patientThread.isAlive()) {
      patient.close();
      nvml.close();
    }
    quick.close();
    reaper.close();
  }
}
