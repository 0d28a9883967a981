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
import picocli.CommandLine.Spec;

/** The common part of the commands about this node. */
public abstract class NodeCommand implements Callable<Integer> {
  static final String RUN_DIR_VARIABLE = "SCHEDGPU_RUN_DIR";

  @Spec private CommandSpec spec;
  @Mixin private NodeOptions options;

  private Conf conf;

  /** The options before the command's name; a command may be within another. */
  private NodeOptions common() {
    return ((SchedgpuCommand) spec.root().userObject()).options();
  }

  /** schedgpu.conf, read when first needed. */
  protected final Conf conf() {
    if (conf == null) {
      conf = readConf();
    }
    return conf;
  }

  /** schedgpu.conf, read again at each call. */
  protected final Conf readConf() {
    return Conf.read(options.conf().or(() -> common().conf()));
  }

  /** The run directory: from the option, else the environment, else schedgpu.conf. */
  protected final Path runDir() {
    return options
        .runDir()
        .or(() -> common().runDir())
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
   * The answer to a question: from the region if this user may read it, else from the agent.
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
   * @param agent asks the agent; empty if none listens
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

  /** What this user may see. If the configuration cannot be read, only the user's own jobs. */
  final Principal viewer() {
    boolean arePrivate = true;
    try {
      arePrivate = conf().jobsArePrivate();
    } catch (AgentException unreadable) {
      return new Principal(Posix.effectiveUid(), true);
    }
    return new Principal(Posix.effectiveUid(), arePrivate);
  }

  /**
   * Lets only the owner of the region go on, who is root but for a region that a user made.
   *
   * @param what he does, such as "changes the policy"
   * @throws AgentException for everybody else
   */
  final void requireOwner(SchedGpu region, String what) {
    requireOwner(Posix.effectiveUid(), region.info().uid(), what);
  }

  static void requireOwner(int uid, int owner, String what) {
    if (uid != owner) {
      throw new AgentException(
          "only %s, whose region it is, %s: ask the administrator"
              .formatted(Posix.userName(owner).orElse("uid " + owner), what));
    }
  }

  /** True if the failure means that this user may not open the region because of Mode=brokered. */
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

  /** The command as an object of picocli. */
  protected final CommandSpec spec() {
    return spec;
  }

  /** The stream for answers: stdout. */
  protected final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** The stream for problems and advice: stderr. */
  protected final PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
