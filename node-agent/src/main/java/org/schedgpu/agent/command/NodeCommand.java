package org.schedgpu.agent.command;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.QueryClient;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.LibraryNotFoundException;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** What the commands about this node have in common. */
public abstract class NodeCommand implements Callable<Integer> {
  static final String RUN_DIR_VARIABLE = "SCHEDGPU_RUN_DIR";

  @Spec private CommandSpec spec;
  @ParentCommand private SchedgpuCommand parent;
  @Mixin private NodeOptions options;

  private Conf conf;

  /** schedgpu.conf, read when it is first needed. */
  protected final Conf conf() {
    if (conf == null) {
      conf = readConf();
    }
    return conf;
  }

  /** schedgpu.conf as it is now, read at each call. */
  protected final Conf readConf() {
    return Conf.read(options.conf().or(() -> parent.options().conf()));
  }

  /** The option, else the environment, else schedgpu.conf. */
  protected final Path runDir() {
    return options
        .runDir()
        .or(() -> parent.options().runDir())
        .or(() -> Optional.ofNullable(System.getenv(RUN_DIR_VARIABLE)).map(Path::of))
        .orElseGet(() -> conf().runDir())
        .toAbsolutePath()
        .normalize();
  }

  final SchedGpu openRegion() {
    try {
      return SchedGpu.open(runDir());
    } catch (SchedGpuException problem) {
      if (!isForRootOnly(problem)) {
        throw problem;
      }
      throw new AgentException(
          "with Mode=brokered only root may read the region of this node: what your jobs wait for"
              + " is in their output; for more ask the administrator",
          problem);
    }
  }

  /**
   * What was asked, answered from the region where this user may read it, and else by the agent.
   *
   * @param ask name of the question
   */
  final Map<String, Object> see(
      String ask, Map<String, Object> arguments, Function<SchedGpu, Map<String, Object>> look) {
    return see(look, () -> QueryClient.ask(runDir(), ask, arguments));
  }

  /**
   * The same.
   *
   * @param agent asks it; empty if there is none
   */
  final <T> T see(Function<SchedGpu, T> look, Supplier<Optional<T>> agent) {
    try (SchedGpu region = SchedGpu.open(runDir())) {
      return look.apply(region);
    } catch (SchedGpuException problem) {
      if (problem.code() != ErrorCode.EPERM) {
        throw problem;
      }
      return agent
          .get()
          .orElseThrow(
              () ->
                  new AgentException(
                      "%s: this user may not read the region, and no agent answers: start schedgpu-agent, or try as root"
                          .formatted(runDir()),
                      problem));
    }
  }

  /** What this user may see. Where the configuration cannot be read, what is his alone. */
  final Principal viewer() {
    boolean arePrivate = true;
    try {
      arePrivate = conf().jobsArePrivate();
    } catch (AgentException unreadable) {
      return new Principal(Posix.effectiveUid(), true);
    }
    return new Principal(Posix.effectiveUid(), arePrivate);
  }

  /** Whether that went wrong because this user is none whom Mode=brokered lets into the region. */
  final boolean isForRootOnly(SchedGpuException problem) {
    if (problem.code() != ErrorCode.EPERM || Posix.effectiveUid() == 0) {
      return false;
    }
    try {
      return conf().brokered();
    } catch (AgentException | LibraryNotFoundException unreadable) {
      return false;
    }
  }

  /** The command as picocli knows it. */
  protected final CommandSpec spec() {
    return spec;
  }

  /** Where answers go: stdout. */
  protected final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** Where problems and advice go: stderr. */
  protected final PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
