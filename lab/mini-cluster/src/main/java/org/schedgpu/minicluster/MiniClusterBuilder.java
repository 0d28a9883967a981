package org.schedgpu.minicluster;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Describes a cluster. Texts may name files of the cluster: {@link #paths} has them. Not
 * thread-safe; may be used once.
 */
public final class MiniClusterBuilder {
  /** A UNIX socket's path has at most 107 bytes. */
  private static final int SOCKET_PATH_MAX = 107;

  /**
   * A step's socket is {@code spool/<node>/<node>_<job>.<step>}, with at most 8 and 10 digits here.
   */
  private static final int STEP_SOCKET_NAME = "/spool//_12345678.4294967292".length();

  private ClusterPaths paths = new ClusterPaths(freshName());
  private List<NodeSpec> nodes = NodeSpec.numbered(MiniCluster.freshNodePrefix(), 1, 4, 1000, "");
  private boolean nodeLines = true;
  private String gresConf = "";
  private String plugstackConf = "";
  private final List<String> slurmConfLines = new ArrayList<>();
  private final List<Path> hooks = new ArrayList<>();
  private final Map<String, String> jobEnvironment = new HashMap<>();
  private boolean constrainDevices = Cgroups.canConstrainDevices();
  private final List<String> fakeDevices = new ArrayList<>();
  private boolean rest;
  private boolean restJwt;
  private boolean accounting;
  private boolean keepDirectory;

  MiniClusterBuilder() {}

  /** The paths that the cluster's files will have; no file exists before {@link #build}. */
  public ClusterPaths paths() {
    return paths;
  }

  /**
   * The cluster's own folder; default: a fresh one in the system's temporary folder. It must not
   * exist, its parent must be searchable by everyone, and its path must be short enough for UNIX
   * sockets.
   */
  public MiniClusterBuilder baseDirectory(Path base) {
    paths = new ClusterPaths(base.toAbsolutePath().normalize());
    return this;
  }

  /**
   * The compute nodes; default: one with 4 CPUs and 1000 MiB, named after {@link
   * MiniCluster#freshNodePrefix}.
   */
  public MiniClusterBuilder nodes(List<NodeSpec> specs) {
    nodes = List.copyOf(specs);
    return this;
  }

  /**
   * Nodes that the caller's own lines of slurm.conf define, with the ports of {@link
   * MiniCluster#nodePort}. The cluster starts their slurmds and waits for them.
   */
  public MiniClusterBuilder nodesOfOwnLines(List<String> names) {
    nodeLines = false;
    return nodes(names.stream().map(name -> new NodeSpec(name, 1, 1, "")).toList());
  }

  /** The contents of gres.conf; default: empty. */
  public MiniClusterBuilder gresConf(String text) {
    gresConf = text;
    return this;
  }

  /** The contents of plugstack.conf; default: empty. */
  public MiniClusterBuilder plugstackConf(String text) {
    plugstackConf = text;
    return this;
  }

  /**
   * More lines for slurm.conf. A line with the key of a default replaces that default; a {@code
   * PartitionName} line replaces the partition {@code debug}.
   */
  public MiniClusterBuilder slurmConf(String... lines) {
    slurmConfLines.addAll(List.of(lines));
    return this;
  }

  /** The Prolog: an executable file by the time of {@link MiniCluster#start}, which checks it. */
  public MiniClusterBuilder prolog(Path program) {
    hooks.add(program.toAbsolutePath());
    return slurmConf("Prolog=" + program.toAbsolutePath());
  }

  /** The Epilog: an executable file by the time of {@link MiniCluster#start}, which checks it. */
  public MiniClusterBuilder epilog(Path program) {
    hooks.add(program.toAbsolutePath());
    return slurmConf("Epilog=" + program.toAbsolutePath());
  }

  /** PrologFlags, such as {@code Alloc,Contain}; default: none. */
  public MiniClusterBuilder prologFlags(String flags) {
    return slurmConf("PrologFlags=" + flags);
  }

  /**
   * Whether a job can open only its own devices ({@code ConstrainDevices=yes}); default: where this
   * host allows it. If the host does not, {@link #build} refuses {@code true}.
   */
  public MiniClusterBuilder constrainDevices(boolean constrain) {
    constrainDevices = constrain;
    return this;
  }

  /**
   * Makes {@code nvidia0}, ... and {@code nvidiactl} in {@link ClusterPaths#devices}; default:
   * none.
   */
  public MiniClusterBuilder fakeDevices(int count) {
    fakeDevices.clear();
    fakeDevices.addAll(FakeDevices.numbered(count));
    return this;
  }

  /**
   * Makes devices of these names in {@link ClusterPaths#devices}, {@code nvidia-caps/nvidia-cap1}
   * too.
   */
  public MiniClusterBuilder fakeDevices(List<String> names) {
    fakeDevices.clear();
    fakeDevices.addAll(names);
    return this;
  }

  /**
   * Variables for slurmd and for all submitted commands, and so for their jobs. Adds to earlier
   * ones.
   */
  public MiniClusterBuilder jobEnvironment(Map<String, String> variables) {
    jobEnvironment.putAll(variables);
    return this;
  }

  /**
   * Also starts slurmrestd (rest_auth/local) at {@link ClusterPaths#restSocket}. It asks as its own
   * user, daemon, which is not an operator: requests that need an operator go through {@link
   * #restJwt}.
   */
  public MiniClusterBuilder rest() {
    rest = true;
    return this;
  }

  /** Also starts slurmrestd with JWT at {@link MiniCluster#restUrl}. */
  public MiniClusterBuilder restJwt() {
    restJwt = true;
    return this;
  }

  /**
   * Also starts MariaDB and slurmdbd: sacct and sacctmgr know the jobs. The cluster is in the
   * database, and root is its administrator; {@code AccountingStorageTRES} has {@code gres/gpu}.
   */
  public MiniClusterBuilder accounting() {
    accounting = true;
    return this;
  }

  /** Leaves the folder with its logs when the cluster closes. */
  public MiniClusterBuilder keepDirectory(boolean keep) {
    keepDirectory = keep;
    return this;
  }

  /**
   * Makes the cluster's folders and device nodes, so that the caller can add files, but starts
   * nothing yet.
   *
   * @throws MiniClusterException if this host lacks something, or the folder exists
   * @throws IllegalArgumentException if the folder's path is too long
   */
  public MiniCluster build() {
    checkRequirements();
    checkPathLength();
    ClusterSettings settings =
        new ClusterSettings(
            paths,
            nodes,
            nodeLines,
            gresConf,
            plugstackConf,
            List.copyOf(slurmConfLines),
            List.copyOf(hooks),
            constrainDevices,
            Map.copyOf(jobEnvironment),
            rest,
            restJwt,
            accounting,
            keepDirectory);
    makeDirectories();
    MiniCluster cluster = new MiniCluster(settings);
    try {
      if (!fakeDevices.isEmpty()) {
        FakeDevices.create(paths.devices(), fakeDevices);
      }
      return cluster;
    } catch (MiniClusterException e) {
      cluster.close();
      throw e;
    }
  }

  /** {@link #build} and {@link MiniCluster#start}. */
  public MiniCluster start() {
    return build().start();
  }

  private void checkRequirements() {
    List<String> missing = new ArrayList<>(Requirements.missing());
    if (!fakeDevices.isEmpty()) {
      missing.addAll(Requirements.missingForFakeDevices());
    }
    if (rest) {
      missing.addAll(Requirements.missingForRest());
    }
    if (restJwt) {
      missing.addAll(Requirements.missingForRestJwt());
    }
    if (accounting) {
      missing.addAll(Requirements.missingForAccounting());
    }
    if (constrainDevices && !Cgroups.canConstrainDevices()) {
      missing.add("cgroups are not writable (version 1: devices, freezer): constrain nothing");
    }
    if (!missing.isEmpty()) {
      throw new MiniClusterException("this host cannot run it:\n" + String.join("\n", missing));
    }
  }

  private void checkPathLength() {
    int name = nodes.stream().mapToInt(node -> node.name().length()).max().orElse(0);
    int longest = paths.base().toString().length() + STEP_SOCKET_NAME + 2 * name;
    if (longest > SOCKET_PATH_MAX) {
      throw new IllegalArgumentException(
          "mini-cluster: folder %s is %d characters too long for UNIX sockets: use a shorter one"
              .formatted(paths.base(), longest - SOCKET_PATH_MAX));
    }
  }

  private void makeDirectories() {
    try {
      DirectoryTrees.create(paths.base(), "rwxr-xr-x");
      for (Path open :
          List.of(paths.etc(), paths.run(), paths.rest(), paths.devices(), paths.files())) {
        DirectoryTrees.create(open, "rwxr-xr-x");
      }
      for (Path root : List.of(paths.logs(), paths.spool())) {
        DirectoryTrees.create(root, "rwxr-xr-x");
      }
      DirectoryTrees.create(paths.state(), "rwx------");
      DirectoryTrees.create(paths.database(), "rwx------");
      DirectoryTrees.create(paths.munge(), "rwx--x--x");
      DirectoryTrees.create(paths.jobs(), "rwxrwxrwx");
    } catch (IOException e) {
      throw new MiniClusterException("cannot make the folder " + paths.base(), e);
    }
  }

  private static Path freshName() {
    String random = Long.toString(new SecureRandom().nextLong(1L << 40), Character.MAX_RADIX);
    return Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath().resolve("mc-" + random);
  }
}
