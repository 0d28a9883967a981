package org.schedgpu.minicluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The text of slurm.conf: our defaults, which the caller's lines replace or extend. */
final class SlurmConf {
  private static final String PARTITION =
      "PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP";

  /**
   * Without {@code batch_sched_delay=0} a batch job may wait 3 s for its scheduling; with it and
   * these intervals 12 jobs start within 0.7 s instead of 2.7 s.
   */
  private static final String SCHEDULER =
      "batch_sched_delay=0,sched_interval=1,bf_interval=1,nohold_on_prolog_fail";

  private SlurmConf() {}

  /**
   * Writes the configuration.
   *
   * @param host short name of this host
   * @param controllerPort slurmctld's TCP port
   * @param accountingPort slurmdbd's TCP port; used with accounting only
   * @param nodePorts slurmds' TCP ports, in the order of the nodes
   */
  static String text(
      ClusterSettings settings,
      String host,
      int controllerPort,
      int accountingPort,
      List<Integer> nodePorts) {
    Map<String, String> lines = new LinkedHashMap<>();
    identity(settings, host, controllerPort).forEach(line -> lines.put(key(line), line));
    behaviour(settings).forEach(line -> lines.put(key(line), line));
    if (settings.accounting()) {
      accounting(settings, accountingPort).forEach(line -> lines.put(key(line), line));
    }
    List<String> more = new ArrayList<>();
    boolean ownPartition = true;
    for (String line : settings.slurmConfLines()) {
      ownPartition &= !key(line).equals("partitionname");
      if (lines.replace(key(line), line) == null) {
        more.add(line);
      }
    }
    List<String> all = new ArrayList<>(lines.values());
    for (int i = 0; settings.nodeLines() && i < nodePorts.size(); i++) {
      all.add(node(settings.nodes().get(i), host, nodePorts.get(i)));
    }
    all.addAll(more);
    if (ownPartition) {
      all.add(PARTITION);
    }
    return String.join("\n", all) + "\n";
  }

  private static List<String> identity(ClusterSettings settings, String host, int port) {
    ClusterPaths paths = settings.paths();
    List<String> lines =
        new ArrayList<>(
            List.of(
                "ClusterName=mini",
                "SlurmctldHost=" + host + "(127.0.0.1)",
                "SlurmctldPort=" + port,
                "SlurmUser=root",
                "SlurmdUser=root",
                "AuthType=auth/munge",
                "AuthInfo=socket=" + paths.mungeSocket(),
                "CredType=cred/munge",
                "StateSaveLocation=" + paths.state(),
                "SlurmdSpoolDir=" + paths.spool().resolve("%n"),
                "SlurmctldPidFile=" + paths.run().resolve("slurmctld.pid"),
                "SlurmdPidFile=" + paths.run().resolve("slurmd-%n.pid"),
                "SlurmctldLogFile=" + paths.logs().resolve("slurmctld.log"),
                "SlurmdLogFile=" + paths.logs().resolve("slurmd-%n.log"),
                "PlugStackConfig=" + paths.plugstackConf()));
    if (settings.restJwt()) {
      lines.add("AuthAltTypes=auth/jwt");
      lines.add("AuthAltParameters=jwt_key=" + paths.jwtKey());
    }
    return lines;
  }

  private static List<String> behaviour(ClusterSettings settings) {
    boolean cgroups = settings.constrainDevices();
    return List.of(
        // The host has neither the CPUs nor the memory that the nodes claim.
        "SlurmdParameters=config_overrides",
        "SelectType=select/cons_tres",
        "SelectTypeParameters=CR_Core",
        "GresTypes=gpu",
        "ProctrackType=" + (cgroups ? "proctrack/cgroup" : "proctrack/linuxproc"),
        "TaskPlugin=" + (cgroups ? "task/cgroup" : "task/none"),
        "JobAcctGatherType=jobacct_gather/none",
        "MpiDefault=none",
        "SwitchType=switch/none",
        "MailProg=/bin/true",
        "SchedulerParameters=" + SCHEDULER,
        // A node that returns is used again at once; all timers are in seconds.
        "ReturnToService=2",
        "KillWait=2",
        "SlurmdTimeout=60",
        "PrologEpilogTimeout=120",
        "MinJobAge=3600");
  }

  private static List<String> accounting(ClusterSettings settings, int port) {
    return List.of(
        "AccountingStorageType=accounting_storage/slurmdbd",
        "AccountingStorageHost=127.0.0.1",
        "AccountingStoragePort=" + port,
        "AccountingStoragePass=" + settings.paths().mungeSocket(),
        "AccountingStorageTRES=gres/gpu");
  }

  /** The text of slurmdbd.conf. */
  static String slurmdbd(ClusterPaths paths, int port) {
    return String.join(
        "\n",
        "AuthType=auth/munge",
        "AuthInfo=socket=" + paths.mungeSocket(),
        "DbdHost=localhost",
        "DbdAddr=127.0.0.1",
        "DbdPort=" + port,
        "SlurmUser=root",
        "StorageType=accounting_storage/mysql",
        "StorageHost=localhost",
        "StorageUser=root",
        "StorageLoc=slurm",
        "PidFile=" + paths.run().resolve("slurmdbd.pid"),
        "LogFile=" + paths.logs().resolve("slurmdbd.log"),
        "");
  }

  static String node(NodeSpec node, String host, int port) {
    String line =
        "NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=%d RealMemory=%d"
            .formatted(node.name(), host, port, node.cpus(), node.realMemoryMiB());
    if (node.sockets() > 0) {
      line +=
          " Sockets=%d CoresPerSocket=%d ThreadsPerCore=1"
              .formatted(node.sockets(), node.cpus() / node.sockets());
    }
    return line + (node.gres().isEmpty() ? "" : " Gres=" + node.gres()) + " State=UNKNOWN";
  }

  private static String key(String line) {
    int equals = line.indexOf('=');
    return (equals < 0 ? line : line.substring(0, equals)).strip().toLowerCase(Locale.ROOT);
  }
}
