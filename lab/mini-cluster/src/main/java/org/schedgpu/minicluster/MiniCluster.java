package org.schedgpu.minicluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A throw-away real Slurm cluster on this host. {@link #start} starts munged, slurmctld and one
 * slurmd per node, with their own key, ports and folders, in a second or two. {@link #close} ends
 * all of them and removes every process, cgroup and file. A shutdown hook closes the cluster if the
 * JVM ends first.
 *
 * <p>Thread-safe: one thread at a time starts or stops, commands may run side by side.
 */
public final class MiniCluster implements AutoCloseable {
  private static final Duration UP = Duration.ofMinutes(3);
  private static final Duration JOBS_END = Duration.ofSeconds(2);

  /** States of a node that has registered and answers. */
  private static final Pattern ANSWERS =
      Pattern.compile("(idle|mixed|allocated|completing|drain|drained|draining|inval|reserved)");

  private static final Pattern IDLE = Pattern.compile("State=IDLE(\\+PLANNED)? ");
  private static final AtomicInteger PREFIXES = new AtomicInteger();

  private final ClusterSettings settings;
  private final ClusterDaemons daemons;
  private final SlurmCommands commands;
  private final Jobs jobs;
  private final List<Integer> ports;
  private final Thread closeAtExit = new Thread(this::close, "mini-cluster-close");
  private volatile boolean closing;
  private boolean closed;
  private boolean namesAreOurs;
  private RestartRequests restarts;
  private Path restartScript;
  private boolean configured;

  MiniCluster(ClusterSettings settings) {
    this.settings = settings;
    daemons = new ClusterDaemons(settings);
    commands = new SlurmCommands(settings.paths(), settings.jobEnvironment());
    jobs = new Jobs(commands, () -> LogTails.of(settings.paths().logs()));
    ports = FreePorts.take(settings.nodes().size() + 3);
    Runtime.getRuntime().addShutdownHook(closeAtExit);
  }

  /** True if Slurm can constrain devices on this host. */
  public static boolean canConstrainDevices() {
    return Cgroups.canConstrainDevices();
  }

  /** Begins the description of a cluster. */
  public static MiniClusterBuilder builder() {
    return new MiniClusterBuilder();
  }

  /**
   * A prefix for node names, such as {@code n3k2-1-}, that no other caller on this host gets.
   * Clusters that constrain devices need different names.
   */
  public static String freshNodePrefix() {
    String pid = Long.toString(ProcessHandle.current().pid(), Character.MAX_RADIX);
    return "n" + pid + "-" + PREFIXES.incrementAndGet() + "-";
  }

  /**
   * Starts the daemons and waits until all nodes are idle.
   *
   * @return this
   * @throws MiniClusterException if that takes longer than 3 min or a daemon ends, with the end of
   *     the logs; everything is closed then
   */
  public synchronized MiniCluster start() {
    try {
      requireFreeNames();
      namesAreOurs = true;
      startMungeAndController();
      settings.nodeNames().forEach(daemons::startNode);
      startRest();
      await(this::allIdle, "the nodes are not all idle");
      return this;
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Writes the files of {@link ClusterPaths#etc} now, so that the caller can change them; {@link
   * #start} then takes them as they are.
   *
   * @return this
   */
  public synchronized MiniCluster configure() {
    ConfigFiles.write(
        settings, controllerPort(), accountingPort(), ports.subList(2, ports.size() - 1));
    configured = true;
    return this;
  }

  /**
   * Starts only munged and slurmctld, to see how slurmctld reads the configuration. {@link #start}
   * starts another slurmctld without the state of this one.
   *
   * @return this
   * @throws MiniClusterException as {@link #start}; everything is closed then
   */
  public synchronized MiniCluster startController() {
    try {
      startMungeAndController();
      await(() -> commands.sinfo("-h").ok(), "slurmctld does not answer");
      return this;
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private void startMungeAndController() {
    if (!configured) {
      configure();
    }
    if (!daemons.hasMunge()) {
      daemons.startMunge();
      await(daemons::mungeListens, "munged does not listen");
    }
    daemons.killController();
    startAccounting();
    daemons.startController(true);
    // If nobody answers a slurmd's first registration, it tries again only after a second.
    await(() -> listens(controllerPort()), "slurmctld does not listen");
  }

  /**
   * The port of a node's slurmd.
   *
   * @throws IllegalArgumentException if the node does not exist
   */
  public int nodePort(String node) {
    return portOf(node);
  }

  /** The paths of the cluster's files. */
  public ClusterPaths paths() {
    return settings.paths();
  }

  /** True if a job can open only the devices that Slurm gave it. */
  public boolean constrainsDevices() {
    return settings.constrainDevices();
  }

  /**
   * slurmrestd's address for JWT, such as {@code http://127.0.0.1:20100}; only if the builder asked
   * for it.
   */
  public String restUrl() {
    return "http://127.0.0.1:" + ports.get(1);
  }

  /**
   * A JWT for slurmrestd, to be sent as {@code X-SLURM-USER-TOKEN} with {@code X-SLURM-USER-NAME}.
   *
   * @throws MiniClusterException if the cluster has no JWT or the user does not exist
   */
  public String restToken(String user) {
    String line = commands.scontrol("token", "username=" + user).orThrow().stdout().strip();
    return line.substring(line.indexOf('=') + 1);
  }

  /** Commands against this cluster as root; {@link SlurmCommands#as} changes the user. */
  public SlurmCommands commands() {
    return commands;
  }

  /** {@link SlurmCommands#as}. */
  public SlurmCommands as(String user) {
    return commands.as(user);
  }

  /** {@link SlurmCommands#run(List)} as root, or as a user unless that is null. */
  public CommandResult run(List<String> command, Map<String, String> environment, String asUser) {
    SlurmCommands who = asUser == null ? commands : commands.as(asUser);
    return who.with(environment).run(command);
  }

  /** {@link SlurmCommands#sbatch} as root. */
  public long sbatch(String... arguments) {
    return commands.sbatch(arguments);
  }

  /** {@link SlurmCommands#srun} as root. */
  public CommandResult srun(String... arguments) {
    return commands.srun(arguments);
  }

  /** {@link SlurmCommands#squeue} as root. */
  public CommandResult squeue(String... arguments) {
    return commands.squeue(arguments);
  }

  /** {@link SlurmCommands#scontrol} as root. */
  public CommandResult scontrol(String... arguments) {
    return commands.scontrol(arguments);
  }

  /**
   * A job's state; for an array that of an element which is not finished, else of one which did not
   * complete.
   *
   * @throws MiniClusterException if Slurm does not know the job
   */
  public JobState jobState(long id) {
    return jobs.state(id);
  }

  /**
   * Waits until all jobs are finished, their Epilogs included; asks every 50 ms.
   *
   * @return their states
   * @throws MiniClusterException if one is not finished within the limit, with the queue, the
   *     nodes' reasons and the end of the logs; or if Slurm does not know one
   */
  public Map<Long, JobState> awaitJobs(Collection<Long> ids, Duration limit) {
    return jobs.await(ids, limit);
  }

  /**
   * What a batch job has written to its standard output so far; empty if it has not begun.
   *
   * @throws MiniClusterException if Slurm does not know the job, or it is finished and has no
   *     output file
   */
  public String jobOutput(long id) {
    return jobs.output(id);
  }

  /**
   * One field of {@code scontrol -d show job}, such as {@code ExitCode} or {@code Reason}.
   *
   * @throws MiniClusterException if the job or the field does not exist
   */
  public String jobField(long id, String name) {
    return jobs.field(id, name);
  }

  /**
   * A node's state as sinfo has it, such as {@code idle}, {@code mixed}, {@code drained}, {@code
   * down*}.
   *
   * @throws MiniClusterException if Slurm does not know the node or does not answer
   */
  public String nodeState(String node) {
    String ofEachPartition = commands.sinfo("-h", "-N", "-n", node, "-o", "%T").orThrow().stdout();
    return ofEachPartition.lines().findFirst().orElse("").strip();
  }

  /**
   * Waits until scontrol shows a node as idle: its last job's Epilog has ended, and no resume or
   * registration is in progress. A node that was planned for a job may be shown as planned until
   * its next job, and sinfo may show it as mixed for minutes; both count as idle.
   *
   * @throws IllegalArgumentException if the node does not exist
   * @throws MiniClusterException if it is not idle within 3 min, with scontrol's output
   */
  public void awaitIdle(String node) {
    portOf(node);
    await(() -> IDLE.matcher(shown(node)).find(), () -> node + " is not idle: " + shown(node));
  }

  private String shown(String node) {
    return commands.scontrol("show", "node", node).stdout();
  }

  /** The end of every log of the cluster, for errors. */
  public String logTails() {
    return LogTails.of(paths().logs());
  }

  /**
   * Sends SIGKILL to a node's slurmd, as a crash would; the steps that it started continue. Slurm
   * notices within 60 s ({@code SlurmdTimeout}), or sooner after {@code scontrol update}.
   *
   * @throws IllegalArgumentException if the node does not exist
   */
  public synchronized void killNode(String node) {
    portOf(node);
    daemons.killNode(node);
  }

  /**
   * Stops a node's slurmd if it runs, starts it, and waits until it answers.
   *
   * @throws IllegalArgumentException if the node does not exist
   * @throws MiniClusterException if it does not answer within 3 min
   */
  public void restartNode(String node) {
    restartNode(node, paths().slurmConf());
  }

  /**
   * As {@link #restartNode(String)}, with the files of another folder.
   *
   * @param slurmConf says what the cluster's own one says
   */
  public synchronized void restartNode(String node, Path slurmConf) {
    int port = portOf(node);
    daemons.stopNode(node);
    daemons.startNode(node, slurmConf);
    await(() -> listens(port), "slurmd of " + node + " does not listen");
    await(() -> ANSWERS.matcher(nodeState(node)).matches(), node + " does not answer");
  }

  /**
   * Stops slurmctld, starts it with its saved state, and waits until it answers.
   *
   * @throws MiniClusterException if it does not within 3 min
   */
  public synchronized void restartController() {
    daemons.stopController();
    daemons.startController(false);
    await(() -> listens(controllerPort()), "slurmctld does not listen");
    await(() -> commands.sinfo("-h").ok(), "slurmctld does not answer");
  }

  /**
   * A script with which shell commands restart daemons of this cluster: its argument is {@code
   * slurmctld} or a node's name. It ends with status 0 when the daemon answers, else it prints the
   * reason.
   */
  public synchronized Path restartScript() {
    if (restarts == null) {
      restarts = new RestartRequests(paths().run().resolve("restart"), this::restart);
      restartScript = restarts.start();
    }
    return restartScript;
  }

  private void restart(String daemon) {
    if (daemon.equals("slurmctld")) {
      restartController();
    } else {
      restartNode(daemon);
    }
  }

  /**
   * {@code scontrol reconfigure}.
   *
   * @throws MiniClusterException if Slurm refuses
   */
  public void reconfigure() {
    commands.scontrol("reconfigure").orThrow();
  }

  /**
   * Cancels all jobs, ends all daemons and remaining steps, removes the cgroups and the folder. May
   * be called again.
   *
   * @throws MiniClusterException if something remains; the message names it
   */
  @Override
  public void close() {
    closing = true;
    boolean interrupted = Thread.interrupted();
    try {
      closeOnce();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private synchronized void closeOnce() {
    if (closed) {
      return;
    }
    closed = true;
    if (restarts != null) {
      restarts.close();
    }
    forgetShutdownHook();
    List<String> left = new ArrayList<>();
    cancelJobs();
    daemons.stopAll();
    List<String> cgroups = ownCgroups();
    new LeftOvers(paths(), cgroups).kill().forEach(pid -> left.add("process " + pid));
    cgroups.forEach(node -> Cgroups.remove(node).forEach(path -> left.add("cgroup " + path)));
    removeFolder(left);
    FreePorts.giveBack(ports);
    if (!left.isEmpty()) {
      throw new MiniClusterException("could not remove " + String.join(", ", left));
    }
  }

  /**
   * Nodes whose cgroups belong to this cluster: known only after the check that no other cluster
   * has them.
   */
  private List<String> ownCgroups() {
    return constrainsDevices() && namesAreOurs ? settings.nodeNames() : List.of();
  }

  private void cancelJobs() {
    if (!daemons.hasController()) {
      return;
    }
    SlurmCommands quick = commands.within(Duration.ofSeconds(10));
    try {
      List<String> ids = quick.squeue("-h", "-o", "%A").stdout().lines().distinct().toList();
      if (ids.isEmpty()) {
        return;
      }
      quick.scancel(
          Stream.concat(Stream.of("--full", "--signal=KILL"), ids.stream()).toArray(String[]::new));
      quick.scancel(ids.toArray(String[]::new));
      Waiting.until(JOBS_END, () -> quick.squeue("-h").stdout().isEmpty());
    } catch (MiniClusterException e) {
      // slurmctld hangs: the code below kills what its jobs left.
    }
  }

  private void removeFolder(List<String> left) {
    if (settings.keepDirectory()) {
      return;
    }
    try {
      SharedSegments.removeWith(paths().base());
    } catch (IOException e) {
      left.add("folder " + paths().base() + " (" + e + ")");
    }
  }

  private void forgetShutdownHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(closeAtExit);
    } catch (IllegalStateException e) {
      // The JVM is ending and this is the shutdown hook.
    }
  }

  private void startAccounting() {
    if (!settings.accounting() || daemons.hasAccounting()) {
      return;
    }
    daemons.startDatabase();
    await(() -> accepts(paths().databaseSocket()), "MariaDB does not listen");
    daemons.createDatabase();
    daemons.startAccounting();
    await(() -> listens(accountingPort()), "slurmdbd does not listen");
    await(
        () -> commands.run(List.of("sacctmgr", "-i", "add", "cluster", "mini")).ok(),
        "slurmdbd does not know the cluster");
  }

  private void startRest() {
    if (settings.rest()) {
      daemons.startRest();
      await(() -> accepts(paths().restSocket()), "slurmrestd does not listen");
    }
    if (settings.restJwt()) {
      daemons.startRestJwt(ports.get(1));
      await(() -> listens(ports.get(1)), "slurmrestd with JWT does not listen");
    }
  }

  private boolean allIdle() {
    String nodes = String.join(",", settings.nodeNames());
    CommandResult states = commands.sinfo("-h", "-N", "-n", nodes, "-o", "%T %N %E");
    if (states.stdout().lines().anyMatch(line -> line.startsWith("inval"))) {
      throw new MiniClusterException("Slurm refuses a node: " + states.stdout() + logTails());
    }
    return states.ok()
        && states.stdout().lines().distinct().filter(line -> line.startsWith("idle ")).count()
            == settings.nodes().size();
  }

  /** Polls. A daemon that ends by itself, or the closing of the cluster, ends the wait. */
  private void await(BooleanSupplier condition, String otherwise) {
    await(condition, () -> otherwise);
  }

  private void await(BooleanSupplier condition, Supplier<String> otherwise) {
    boolean came;
    try {
      came =
          Waiting.until(
              UP,
              () -> {
                daemons.requireAlive();
                return closing || condition.getAsBoolean();
              });
    } catch (MiniClusterException e) {
      throw new MiniClusterException(otherwise.get() + "\n" + logTails(), e);
    }
    if (closing) {
      throw new MiniClusterException(otherwise.get() + ": it was closed meanwhile");
    }
    if (!came) {
      throw new MiniClusterException(
          "%s after %s%n%s%s"
              .formatted(
                  otherwise.get(),
                  UP,
                  commands.sinfo("-N", "-o", "%N %T %E").stdout(),
                  logTails()));
    }
  }

  /** Slurm names its cgroups after the node alone, so two clusters would disturb each other. */
  private void requireFreeNames() {
    if (!constrainsDevices()) {
      return;
    }
    for (String node : settings.nodeNames()) {
      OptionalLong other = RunningSlurmds.find(node);
      if (other.isPresent()) {
        throw new MiniClusterException(
            "a slurmd of a node %s runs on this host, process %d: use other node names"
                .formatted(node, other.getAsLong()));
      }
    }
  }

  private int controllerPort() {
    return ports.get(0);
  }

  private int accountingPort() {
    return ports.get(ports.size() - 1);
  }

  private int portOf(String node) {
    int index = settings.nodeNames().indexOf(node);
    if (index < 0) {
      throw new IllegalArgumentException(
          "mini-cluster: no node " + node + ": there are " + settings.nodeNames());
    }
    return ports.get(2 + index);
  }

  /** The file exists before slurmrestd accepts connections. */
  private static boolean accepts(Path socket) {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      return channel.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean listens(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
