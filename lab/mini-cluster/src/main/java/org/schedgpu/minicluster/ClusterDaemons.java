package org.schedgpu.minicluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The daemons of one cluster, by their function. The caller makes sure that only one thread uses it
 * at a time.
 */
final class ClusterDaemons {
  private static final String SLURM_CONF = "SLURM_CONF";
  private static final String CONTROLLER = "slurmctld";
  private static final String ACCOUNTING = "slurmdbd";
  private static final String MUNGE = "munged";

  /**
   * slurmrestd refuses root and SlurmUser, from 25.05 on without exception. This user exists on
   * every Debian.
   */
  private static final String REST_USER = "daemon";

  private static final Duration GOODBYE = Duration.ofSeconds(1);

  private final ClusterSettings settings;
  private final ClusterPaths paths;
  private final Map<String, Daemon> running = new LinkedHashMap<>();

  ClusterDaemons(ClusterSettings settings) {
    this.settings = settings;
    this.paths = settings.paths();
  }

  void startMunge() {
    String folder = paths.munge().toString();
    start(
        MUNGE,
        List.of("--reuid=munge", "--regid=munge", "--clear-groups"),
        List.of(
            "munged",
            "--foreground",
            "--key-file=" + folder + "/key",
            "--socket=" + paths.mungeSocket(),
            "--pid-file=" + folder + "/pid",
            "--seed-file=" + folder + "/seed"),
        Map.of());
  }

  /**
   * Starts slurmctld.
   *
   * @param fresh true: it forgets all state
   */
  void startController(boolean fresh) {
    List<String> command = new ArrayList<>(List.of("slurmctld", "-D"));
    if (fresh) {
      command.add("-c");
    }
    start(CONTROLLER, List.of(), command, Map.of());
  }

  /**
   * MariaDB, with a database of its own that nobody but root reaches. Its temporary files are
   * there, too: each server removes at its start what others have in the same folder.
   */
  void startDatabase() {
    String data = paths.database().resolve("data").toString();
    String temporary = "--tmpdir=" + paths.database();
    CommandRunner.run(
            "mariadb-install-db",
            "--no-defaults",
            "--datadir=" + data,
            temporary,
            "--user=root",
            "--auth-root-authentication-method=socket",
            "--auth-root-socket-user=root",
            "--skip-test-db")
        .orThrow();
    start(
        "mariadbd",
        List.of(),
        List.of(
            "mariadbd",
            "--no-defaults",
            "--user=root",
            "--datadir=" + data,
            temporary,
            "--socket=" + paths.databaseSocket(),
            "--pid-file=" + paths.database().resolve("pid"),
            "--skip-networking",
            "--innodb-buffer-pool-size=32M",
            "--innodb-log-file-size=16M",
            // MariaDB 11.8 has it on; Slurm 26.05 says that slurmdbd may end then.
            "--loose-innodb-snapshot-isolation=OFF",
            "--performance-schema=off"),
        Map.of());
  }

  /**
   * Makes slurmdbd's database. slurmdbd would do it, but with libmariadb3 11.8.9 (Debian 13 and
   * testing) it ends after that with "Number of columns in result (=1)": it connects again with the
   * handle of the connection that failed.
   */
  void createDatabase() {
    CommandRunner.run(
            "mariadb",
            "--no-defaults",
            "--socket=" + paths.databaseSocket(),
            "--execute=CREATE DATABASE slurm")
        .orThrow();
  }

  void startAccounting() {
    start(
        ACCOUNTING,
        List.of(),
        List.of("slurmdbd", "-D"), // finds slurmdbd.conf beside slurm.conf
        Map.of("MYSQL_UNIX_PORT", paths.databaseSocket().toString()));
  }

  boolean hasAccounting() {
    return running.containsKey(ACCOUNTING);
  }

  void startNode(String node) {
    startNode(node, paths.slurmConf());
  }

  void startNode(String node, Path slurmConf) {
    Map<String, String> environment = new LinkedHashMap<>(settings.jobEnvironment());
    environment.put(SLURM_CONF, slurmConf.toString());
    start(nodeDaemon(node), List.of(), List.of("slurmd", "-D", "-N", node), environment);
  }

  void startRest() {
    rest("slurmrestd", "rest_auth/local", "unix:" + paths.restSocket(), Map.of());
  }

  /**
   * A second slurmrestd, because {@code SLURM_JWT=daemon}, which JWT needs, breaks rest_auth/local.
   */
  void startRestJwt(int port) {
    rest("slurmrestd-jwt", "rest_auth/jwt", "127.0.0.1:" + port, Map.of("SLURM_JWT", "daemon"));
  }

  void killNode(String node) {
    take(nodeDaemon(node)).ifPresent(Daemon::kill);
  }

  void stopNode(String node) {
    take(nodeDaemon(node)).ifPresent(Daemon::stop);
  }

  boolean hasMunge() {
    return running.containsKey(MUNGE);
  }

  void killController() {
    take(CONTROLLER).ifPresent(Daemon::kill);
  }

  void stopController() {
    take(CONTROLLER).ifPresent(Daemon::stop);
  }

  boolean hasController() {
    Daemon controller = running.get(CONTROLLER);
    return controller != null && controller.isAlive();
  }

  /**
   * Ends all daemons, munged last, because the others use it while they end. slurmctld would wait
   * for nodes that do not answer, and nobody needs its state any more, so it has 1 s.
   */
  void stopAll() {
    Optional<Daemon> munge = take(MUNGE);
    running.values().forEach(Daemon::requestStop);
    running.values().forEach(daemon -> daemon.stop(GOODBYE));
    running.clear();
    munge.ifPresent(Daemon::stop);
  }

  /**
   * Reports a daemon that ended by itself.
   *
   * @throws MiniClusterException if there is one
   */
  void requireAlive() {
    for (Daemon daemon : running.values()) {
      if (!daemon.isAlive()) {
        throw new MiniClusterException(
            "%s ended by itself with status %d".formatted(daemon.name(), daemon.exitCode()));
      }
    }
  }

  boolean mungeListens() {
    return Files.exists(paths.mungeSocket());
  }

  private void rest(String name, String auth, String address, Map<String, String> more) {
    CommandRunner.run("chown", REST_USER, paths.rest().toString()).orThrow();
    start(
        name,
        List.of("--reuid=" + REST_USER, "--regid=" + REST_USER, "--clear-groups"),
        List.of("slurmrestd", "-a", auth, "-s", SlurmRelease.installed().restPlugin(), address),
        more);
  }

  private void start(
      String name, List<String> privileges, List<String> command, Map<String, String> more) {
    Map<String, String> environment = new LinkedHashMap<>(more);
    environment.putIfAbsent(SLURM_CONF, paths.slurmConf().toString());
    Path output = paths.logs().resolve(name + ".out");
    running.put(name, Daemon.start(name, privileges, command, output, environment));
  }

  private Optional<Daemon> take(String name) {
    return Optional.ofNullable(running.remove(name));
  }

  private static String nodeDaemon(String node) {
    return "slurmd-" + node;
  }
}
