package org.schedgpu.agent.command;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.history.HistoryStore;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.QueryClient;
import org.schedgpu.agent.report.HistorySource;
import org.schedgpu.agent.report.Records;
import org.schedgpu.agent.report.ReportBuilder;
import org.schedgpu.agent.report.ReportData;
import org.schedgpu.agent.report.ReportException;
import org.schedgpu.agent.report.ReportFile;
import org.schedgpu.agent.report.ReportPage;
import org.schedgpu.agent.report.ReportPicture;
import org.schedgpu.agent.report.ReportQuestion;
import org.schedgpu.agent.report.ReportRequest;
import org.schedgpu.agent.report.ReportSource;
import org.schedgpu.agent.report.ReportSummary;
import org.schedgpu.agent.report.Window;
import org.schedgpu.agent.setup.NodeFactsReader;
import org.schedgpu.agent.suggest.NodeSizes;
import org.schedgpu.agent.text.JsonText;
import org.schedgpu.agent.text.Times;
import org.schedgpu.jna.Posix;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code schedgpu report}: reads the history, or asks the agent for it. */
@Command(
    name = "report",
    description = {
      "Writes what happened on this node as a page, a picture or JSON.",
      "",
      "Memory and utilisation over time, waits by user, who asks for more than he uses,",
      "and what sharing gained or lost against one job per GPU.",
      "Users other than root see their own jobs, and sums of the others'."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Written.",
      "1:There is no history, no such job, or a file cannot be written.",
      "2:Wrong usage."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  schedgpu report",
      "  schedgpu report --since 7d -o week.html --png week.png",
      "  schedgpu report --job 4711 -o job.html",
      "  schedgpu report --json | jq .comparison"
    })
public final class ReportCommand extends NodeCommand {
  private static final int ROOT = 0;
  private static final int MAX_JOBS = 200_000;
  private static final String DEFAULT_FILE = "report.html";
  private static final String DEFAULT_SINCE = "24h";

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description =
          "From then on: so long ago (2h, 30d), or a day or time (2026-11-01, 2026-11-01T08:30)"
              + " of this node. Default: "
              + DEFAULT_SINCE
              + ", or later if the records begin later; of --job all its life.")
  private String since;

  @Option(
      names = "--until",
      paramLabel = "TIME",
      description = "Until then, in the same way. Default: now.")
  private String until;

  @Option(
      names = "--job",
      paramLabel = "ID",
      description = "This job only: a job ID of Slurm, or run:ID.")
  private String job;

  @Option(names = "--device", paramLabel = "N", description = "This device only.")
  private Integer device;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "The page; - is stdout. Default: " + DEFAULT_FILE + ".")
  private String output;

  @Option(names = "--png", paramLabel = "FILE", description = "A picture, too.")
  private Path png;

  @Option(names = "--json", description = "Prints JSON: exact bytes and nanoseconds.")
  private boolean json;

  @Override
  public Integer call() {
    ReportData data = data(window(nowNs()));
    byte[] picture = picture(data);
    if (json) {
      out().print(JsonText.of(Records.toMap(data)));
      out().flush();
    }
    if (png != null) {
      ReportFile.write(png, picture);
    }
    if (output != null || !json) {
      page(output == null ? DEFAULT_FILE : output, ReportPage.of(data, picture));
    }
    if (!json && !"-".equals(output)) {
      out().println((output == null ? DEFAULT_FILE : output) + ": " + ReportSummary.of(data));
    }
    return ExitCode.OK;
  }

  /** The page is also useful without its picture. */
  private byte[] picture(ReportData data) {
    if (json && png == null && output == null) {
      return null;
    }
    try {
      return ReportPicture.png(data);
    } catch (ReportException noFont) {
      if (png != null) {
        throw noFont;
      }
      return null;
    }
  }

  private void page(String name, String page) {
    if (name.equals("-")) {
      out().print(page);
      out().flush();
    } else {
      ReportFile.write(Path.of(name), page.getBytes(StandardCharsets.UTF_8));
    }
  }

  private Window window(long nowNs) {
    long untilNs = until == null ? nowNs : momentNs("--until", until, nowNs);
    long fromNs =
        since == null && job != null
            ? 0
            : momentNs("--since", since == null ? DEFAULT_SINCE : since, nowNs);
    if (fromNs >= untilNs) {
      throw wrong("--since is not before --until: a report of no time at all");
    }
    return new Window(fromNs, untilNs);
  }

  /** No beginning is asked for: then the report need not begin long before the first record. */
  private boolean isDefault() {
    return since == null && job == null;
  }

  /** {@code nowNs} is one reading of the clock for the whole window: 24h are not 1 ms less. */
  private long momentNs(String option, String text, long nowNs) {
    return Times.pastNs(text, TimeUnit.NANOSECONDS.toMillis(nowNs), ZoneId.systemDefault())
        .orElseThrow(() -> wrong(option + " " + text + ": is no time: write 2h, 30d, 2026-11-01"));
  }

  /** The form in which status names jobs. */
  private String jobReference() {
    if (job != null && !job.matches("((slurm|run):)?[0-9]{1,18}")) {
      throw wrong("--job " + job + ": is no job: write 4711, or run:4711");
    }
    return job == null || job.contains(":") ? job : "slurm:" + job;
  }

  private ParameterException wrong(String what) {
    return new ParameterException(spec().commandLine(), what);
  }

  private static long nowNs() {
    return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
  }

  /** Root needs no agent. */
  private ReportData data(Window window) {
    Path file = conf().historyFile();
    String reference = jobReference(); // a wrong one is told before the file is opened
    if (Posix.effectiveUid() == ROOT) {
      try (HistoryStore store = ReportSource.open(file)) {
        HistorySource source = new HistorySource(store);
        ReportRequest request =
            new ReportRequest(
                NodeFactsReader.nodeName(System.getenv()),
                ZoneId.systemDefault().getId(),
                nowNs(),
                isDefault() ? source.recorded(window) : window,
                device,
                reference,
                Principal.root(),
                NodeSizes.of(runDir()).contextBytes());
        return new ReportBuilder(source, request, MAX_JOBS).build();
      }
    }
    return Records.ofMap(
        QueryClient.ask(runDir(), ReportQuestion.NAME, arguments(window))
            .orElseThrow(
                () ->
                    new AgentException(
                        file
                            + ": only root may read the history, and no agent runs that could be"
                            + " asked: ask the administrator to start schedgpu-agent")));
  }

  private Map<String, Object> arguments(Window window) {
    Map<String, Object> arguments = new LinkedHashMap<>();
    arguments.put("fromNs", window.fromNs());
    arguments.put("untilNs", window.untilNs());
    if (isDefault()) {
      arguments.put("recorded", 1);
    }
    if (device != null) {
      arguments.put("device", device);
    }
    if (job != null) {
      arguments.put("job", jobReference());
    }
    arguments.put("node", NodeFactsReader.nodeName(System.getenv()));
    arguments.put("timeZone", ZoneId.systemDefault().getId());
    return arguments;
  }
}
