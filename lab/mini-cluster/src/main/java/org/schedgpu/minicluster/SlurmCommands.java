package org.schedgpu.minicluster;

import java.io.File;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs commands against one cluster, as one user, with one set of additional variables and one time
 * limit. Immutable and thread-safe; {@link #as}, {@link #with} and {@link #within} give changed
 * copies.
 *
 * <p>Commands run in {@link ClusterPaths#jobs}, with the JVM's environment less all of Slurm's
 * variables, plus {@code SLURM_CONF}, plus the cluster's job environment.
 */
public final class SlurmCommands {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final ClusterPaths paths;
  private final Map<String, String> environment;
  private final List<String> prefix;
  private final Duration limit;

  SlurmCommands(ClusterPaths paths, Map<String, String> jobEnvironment) {
    this(paths, jobEnvironment, List.of(), LIMIT);
  }

  private SlurmCommands(
      ClusterPaths paths, Map<String, String> environment, List<String> prefix, Duration limit) {
    this.paths = paths;
    this.environment = Map.copyOf(environment);
    this.prefix = prefix;
    this.limit = limit;
  }

  /**
   * The same commands as another user, with that user's groups, HOME, USER and LOGNAME.
   *
   * @throws MiniClusterException if the user does not exist
   */
  public SlurmCommands as(String user) {
    String gid = Integer.toString(TestUsers.id("-g", user));
    List<String> become =
        List.of("setpriv", "--reuid=" + user, "--regid=" + gid, "--init-groups", "--");
    Map<String, String> more =
        Map.of("USER", user, "LOGNAME", user, "HOME", paths.jobs().toString());
    return new SlurmCommands(paths, plus(more), become, limit);
  }

  /** The same commands with more environment variables, which replace existing ones. */
  public SlurmCommands with(Map<String, String> variables) {
    return new SlurmCommands(paths, plus(variables), prefix, limit);
  }

  /** The same commands with another time limit; the default is 5 min. */
  public SlurmCommands within(Duration newLimit) {
    return new SlurmCommands(paths, environment, prefix, newLimit);
  }

  /**
   * Runs any program to its end, with empty standard input.
   *
   * @return its streams and exit status, whatever that is
   * @throws MiniClusterException if it cannot be started or exceeds the limit (it is then killed)
   */
  public CommandResult run(List<String> command) {
    return CommandRunner.run(command, prefixed(command), paths.jobs(), variables(), limit);
  }

  /** As {@link #run(List)}. */
  public CommandResult run(String... command) {
    return run(List.of(command));
  }

  /** A program that the caller starts and watches, to run beside other commands. */
  public ProcessBuilder prepare(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(prefixed(command));
    builder.directory(paths.jobs().toFile()).redirectInput(Redirect.from(new File("/dev/null")));
    Environments.prepare(builder.environment(), variables());
    return builder;
  }

  /**
   * Submits a batch job; {@code sbatch("--gres=gpu:1", "--wrap", "nvidia-smi")}. By default its
   * output goes to {@code slurm-<id>.out} in {@link ClusterPaths#jobs}.
   *
   * @return the job's id
   * @throws MiniClusterException with sbatch's message if it refuses
   */
  public long sbatch(String... arguments) {
    List<String> command = words("sbatch", arguments);
    command.add(1, "--parsable");
    return Long.parseLong(run(command).orThrow().stdout().strip());
  }

  /** Runs srun to its end; as {@link #run(List)}. */
  public CommandResult srun(String... arguments) {
    return run(words("srun", arguments));
  }

  /** Runs squeue; as {@link #run(List)}. */
  public CommandResult squeue(String... arguments) {
    return run(words("squeue", arguments));
  }

  /** Runs sinfo; as {@link #run(List)}. */
  public CommandResult sinfo(String... arguments) {
    return run(words("sinfo", arguments));
  }

  /** Runs scontrol; as {@link #run(List)}. */
  public CommandResult scontrol(String... arguments) {
    return run(words("scontrol", arguments));
  }

  /** Runs scancel; as {@link #run(List)}. */
  public CommandResult scancel(String... arguments) {
    return run(words("scancel", arguments));
  }

  private List<String> prefixed(List<String> command) {
    List<String> all = new ArrayList<>(prefix);
    all.addAll(command);
    return all;
  }

  private Map<String, String> variables() {
    Map<String, String> all = new HashMap<>(Map.of("SLURM_CONF", paths.slurmConf().toString()));
    all.putAll(environment);
    return all;
  }

  private Map<String, String> plus(Map<String, String> more) {
    Map<String, String> all = new HashMap<>(environment);
    all.putAll(more);
    return all;
  }

  private static List<String> words(String command, String... arguments) {
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of(arguments));
    return all;
  }
}
