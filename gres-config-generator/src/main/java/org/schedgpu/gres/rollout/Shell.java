package org.schedgpu.gres.rollout;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.Subprocess;
import org.schedgpu.gres.common.Subprocess.Result;

/** Runs the administrator's commands with {@code sh -c}, with empty standard input. */
public class Shell {
  private static final int SIDE_BY_SIDE = 8;
  private static final int SHOWN_CHARS = 2000;
  private static final int KEPT_BYTES = 1 << 20;
  private static final String NODE = "%n";
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

  /**
   * Runs a command to its end.
   *
   * @param limit time limit; after that the command and all its children are killed
   * @return the problem, with the end of the output; empty if the exit code was 0
   */
  Optional<String> run(String command, Duration limit) {
    try {
      Result result =
          Subprocess.of("sh", "-c", command).merged().detached().maxBytes(KEPT_BYTES).run(limit);
      return result.problem().map(why -> why + end(result.out().strip()));
    } catch (IOException e) {
      return Optional.of("cannot be run (" + e.getMessage() + ")");
    }
  }

  /**
   * Runs a command for each node, several at a time; a command without {@code %n} runs once.
   *
   * @return the problems by node
   */
  Map<String, String> runForEach(String command, List<String> nodes, Duration limit) {
    Map<String, String> failed = new ConcurrentHashMap<>();
    if (!command.contains(NODE)) {
      run(command, limit).ifPresent(why -> nodes.forEach(node -> failed.put(node, why)));
      return new TreeMap<>(failed);
    }
    ExecutorService pool = Executors.newFixedThreadPool(SIDE_BY_SIDE);
    for (String node : nodes) {
      pool.execute(
          () -> run(forNode(command, node), limit).ifPresent(why -> failed.put(node, why)));
    }
    pool.shutdown();
    try {
      pool.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      pool.shutdownNow();
      Thread.currentThread().interrupt();
      throw new GresException("the run was interrupted", "repeat with --continue", e);
    }
    return new TreeMap<>(failed);
  }

  /**
   * The command for one node.
   *
   * @throws GresException if the shell would interpret characters of the name
   */
  static String forNode(String command, String node) {
    if (!HOST.matcher(node).matches()) {
      throw new GresException(
          "node name '" + node.replaceAll("\\p{Cntrl}", "?") + "' is not a host name",
          "leave the command out and do it by hand");
    }
    return command.replace(NODE, node);
  }

  private static String end(String said) {
    String end =
        said.length() > SHOWN_CHARS ? "..." + said.substring(said.length() - SHOWN_CHARS) : said;
    return end.isEmpty() ? "" : "\n" + end;
  }
}
