package org.schedgpu.gres.command;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.verify.JobProbes;
import org.schedgpu.gres.verify.JobRequest;
import org.schedgpu.gres.verify.PlannedNode;
import org.schedgpu.gres.verify.Verification;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of {@code --run-job}. */
final class VerifyJobs {
  private static final int DEFAULT_WAIT_SECONDS = 10;
  private static final int DEFAULT_LIMIT_SECONDS = 60;
  private static final int MAX_SECONDS = 3600;

  @Option(
      names = "--run-job",
      description = "Runs a job of one virtual GPU on each node and type, with srun.")
  private boolean runJob;

  @Option(
      names = "--nodes",
      paramLabel = "HOSTLIST",
      description = "Runs it on these nodes of the plan only.")
  private String nodes;

  @Option(names = "--partition", paramLabel = "NAME", description = "In this partition.")
  private String partition;

  @Option(names = "--account", paramLabel = "NAME", description = "Charged to this account.")
  private String account;

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      description = "How long a busy node may let it wait. Default: 10.")
  private int waitSeconds = DEFAULT_WAIT_SECONDS;

  @Option(
      names = "--limit",
      paramLabel = "SECONDS",
      description = "How long it may run, Prolog and Epilog included. Default: 60.")
  private int limitSeconds = DEFAULT_LIMIT_SECONDS;

  void check(CommandSpec spec) {
    if (!runJob && (nodes != null || partition != null || account != null)) {
      throw new ParameterException(
          spec.commandLine(), "--nodes, --partition and --account need --run-job");
    }
    if (outOfRange(waitSeconds) || outOfRange(limitSeconds)) {
      throw new ParameterException(
          spec.commandLine(), "--wait and --limit take 1 to " + MAX_SECONDS + " seconds");
    }
  }

  private static boolean outOfRange(int seconds) {
    return seconds < 1 || seconds > MAX_SECONDS;
  }

  /** Runs the jobs; does nothing without --run-job. */
  void run(
      Verification verification,
      List<PlannedNode> planned,
      Path folder,
      Map<String, String> environment,
      PrintWriter err) {
    if (!runJob) {
      return;
    }
    JobRequest request =
        new JobRequest(
            Optional.ofNullable(partition),
            Optional.ofNullable(account),
            waitSeconds,
            limitSeconds);
    JobProbes probes = new JobProbes(environment, request, folder);
    probes.run(wanted(planned), progress(err));
    verification.add(probes.findings(), probes.notes());
  }

  /**
   * Progress is printed only to a terminal. From Java 22 on there is always a console, so TERM is
   * checked too.
   */
  @SuppressWarnings("SystemConsoleNull")
  private static Consumer<String> progress(PrintWriter err) {
    boolean terminal = System.console() != null && System.getenv("TERM") != null;
    return terminal ? err::println : line -> {};
  }

  private List<PlannedNode> wanted(List<PlannedNode> planned) {
    if (nodes == null) {
      return planned;
    }
    Set<String> names = new HashSet<>(Hostlist.expand(nodes));
    List<PlannedNode> wanted = planned.stream().filter(n -> names.remove(n.name())).toList();
    if (!names.isEmpty()) {
      throw new GresException(
          "--nodes names " + String.join(",", names) + ", not in the plan",
          "name nodes that the plan has");
    }
    return wanted;
  }
}
