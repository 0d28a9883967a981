package org.schedgpu.agent.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.text.Style;
import org.schedgpu.agent.top.Frame;
import org.schedgpu.agent.top.Screen;
import org.schedgpu.agent.top.TerminalStyle;
import org.schedgpu.agent.top.TopJson;
import org.schedgpu.agent.top.TopReport;
import org.schedgpu.agent.top.TopSource;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.SchedGpuException;
import org.schedgpu.jna.TerminalModes;
import org.schedgpu.jna.Units;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code schedgpu top}: a live view. Takes no lock and changes nothing. */
@Command(
    name = "top",
    description = {
      "Shows devices, jobs and waiters, and updates them.",
      "For each waiter it shows the reason, and an estimate of when it is served.",
      "Without a terminal it shows them once."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Shown.",
      "1:The region cannot be read (--once).",
      "2:Wrong usage.",
      "3:There is no region on this node (--once)."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  schedgpu top",
      "  schedgpu top --interval 5s",
      "  schedgpu top --once --json | jq '.waiters[] | {job, why, estimate}'"
    })
public final class TopCommand extends NodeCommand {
  private static final long LEAST_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int PIPE_WIDTH = 120;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      defaultValue = "1s",
      description = "How often it looks, at least 100ms. Default: ${DEFAULT-VALUE}.")
  private String interval;

  @Option(names = "--once", description = "Shows it once, as plain text, and ends.")
  private boolean once;

  @Option(
      names = "--json",
      description = "Prints JSON: exact bytes and nanoseconds, one document for each look.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    long intervalNs = intervalNs();
    try (TopSource source = new TopSource(history())) {
      if (json) {
        printJson(source, intervalNs);
      } else if (once || !showLive(source, intervalNs)) {
        out().print(Frame.text(read(source), TerminalStyle.of(System.getenv()), PIPE_WIDTH));
        out().flush();
      }
    }
    return ExitCode.OK;
  }

  private long intervalNs() {
    OptionalLong ns = Units.timeNs(interval);
    if (ns.isEmpty() || ns.getAsLong() < LEAST_NS) {
      throw new ParameterException(
          spec().commandLine(),
          "--interval " + interval + " is no time of at least 100ms: write 1s");
    }
    return ns.getAsLong();
  }

  /** Only root may read the history file. */
  private Optional<Path> history() {
    return readable().filter(conf -> Posix.effectiveUid() == 0).map(Conf::historyFile);
  }

  /** If the configuration cannot be read, the view uses the defaults. */
  private Optional<Conf> readable() {
    try {
      return Optional.of(conf());
    } catch (AgentException unreadable) {
      return Optional.empty();
    }
  }

  /** Reads the region, else asks the agent; throws any other problem. */
  private TopReport read(TopSource source) {
    return TopJson.report(
        see("top", Map.of(), region -> TopJson.values(source.read(region, runDir(), viewer()))),
        TopSource.clock());
  }

  /**
   * A report of the present state, or the reason why there is none. The reason may be temporary.
   */
  private TopReport readOrSay(TopSource source) {
    try {
      return read(source);
    } catch (SchedGpuException | AgentException problem) {
      return TopReport.nothing(TopSource.node(), TopSource.clock(), problem.getMessage());
    }
  }

  /** Repeats until the reader closes the pipe. */
  private void printJson(TopSource source, long intervalNs) throws InterruptedException {
    TopReport report = once ? read(source) : readOrSay(source);
    out().print(TopJson.of(report));
    while (!once && !out().checkError()) {
      TimeUnit.NANOSECONDS.sleep(intervalNs);
      out().print(TopJson.of(readOrSay(source)));
    }
    out().flush();
  }

  /** Returns false if the terminal cannot show a live screen. */
  private boolean showLive(TopSource source, long intervalNs) throws InterruptedException {
    if (!Style.isTerminal() || "dumb".equals(System.getenv("TERM"))) {
      return false;
    }
    TerminalStyle look = TerminalStyle.of(System.getenv());
    Optional<TerminalModes> before = TerminalModes.ofStdin();
    // JLine would unpack a library of its own at each start; JNA is already loaded.
    System.setProperty("org.jline.terminal.disableDeprecatedProviderWarning", "true");
    Terminal terminal;
    try {
      terminal =
          TerminalBuilder.builder()
              .system(true)
              .dumb(false)
              .jna(true)
              .jni(false)
              .ffm(false)
              .exec(false)
              .nativeSignals(true)
              .encoding(TerminalStyle.UNICODE.charset())
              .build();
    } catch (IOException | IllegalStateException problem) {
      err().println("schedgpu: top: no live view: " + problem.getMessage() + ": see TERM");
      return false;
    }
    boolean colours = Style.of(true, System.getenv()).isOn();
    new Screen(terminal, before, () -> readOrSay(source), look, colours, intervalNs).run();
    return true;
  }
}
