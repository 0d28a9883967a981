package org.schedgpu.gres.command;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.common.Json;
import org.schedgpu.gres.files.SlurmConfFolder;
import org.schedgpu.gres.rollout.RolloutRecord;
import org.schedgpu.gres.rollout.RolloutResult;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code schedgpu gres rollout}: changes the counts of a running cluster without ending a job. */
@Command(
    name = "rollout",
    sortOptions = false,
    customSynopsis = {
      "schedgpu gres rollout --plan FILE [--dry-run] [--yes] [OPTIONS]",
      "schedgpu gres rollout --revert [--to ID] [--dry-run] [--yes] [OPTIONS]",
      "schedgpu gres rollout --continue | --abort | --status"
    },
    descriptionHeading = "%n",
    description = {
      "Brings a plan to a cluster that runs, without ending a GPU job.",
      "",
      "Drains the nodes whose GPUs change, waits until their GPU jobs have ended, puts",
      "the files in place, restarts slurmctld and every slurmd, looks at each node and",
      "resumes it. Each step is written down before; stopped at any moment, even",
      "killed, it goes on with --continue.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:All is done.",
      "1:Refused, nothing was changed; stderr says why.",
      "2:Wrong usage.",
      "3:Stopped on the way; it is open, stderr says what to do.",
      "4:GPU jobs did not end within --wait-for-jobs; it is open.",
      "5:Done, but nodes are left drained; stderr names them and the command.",
      "130:Interrupted with Ctrl-C; open, if it had begun (143: by SIGTERM)."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  What would be done, then do it:",
      "    schedgpu gres rollout --plan plan.json --dry-run",
      "    schedgpu gres rollout --plan plan.json \\",
      "      --restart-slurmctld 'systemctl restart slurmctld' \\",
      "      --restart-slurmd 'ssh %%n systemctl restart slurmd'",
      "  Until tomorrow, from a script; how far it came; go on:",
      "    schedgpu gres rollout --plan plan.json --yes --wait-for-jobs 12h",
      "    schedgpu gres rollout --status",
      "    schedgpu gres rollout --continue",
      "  And back:",
      "    schedgpu gres rollout --revert"
    })
public final class RolloutCommand extends GresAction {
  private static final int STOPPED = 3;
  private static final int JOBS_REMAIN = 4;
  private static final int LEFT = 5;

  @ArgGroup(multiplicity = "1")
  private What what;

  /** The actions; exactly one is given. */
  private static final class What {
    @Option(
        names = "--plan",
        paramLabel = "FILE",
        description = "What schedgpu gres plan --json printed; - is standard input.")
    private Path plan;

    @Option(names = "--revert", description = "Takes back the latest change of the files.")
    private boolean revert;

    @Option(names = "--continue", description = "Goes on with the rollout that is open.")
    private boolean continueOpen;

    @Option(names = "--abort", description = "Gives it up, if no file was changed yet.")
    private boolean abort;

    @Option(names = "--status", description = "Prints the latest rollout; changes nothing.")
    private boolean status;
  }

  @Option(
      names = "--to",
      paramLabel = "ID",
      description = "With --revert: this change and all later ones.")
  private String to;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description =
          "Where slurm.conf is. Default: --output of the plan, else the folder of"
              + " $$SLURM_CONF, else /etc/slurm.")
  private Path folder;

  @Mixin private RestOption rest;
  @Mixin private RolloutOptions options;

  @Option(
      names = "--no-check",
      description = "Does not let slurmd -G read the files before, as apply --check does.")
  private boolean noCheck;

  @Option(
      names = "--yes",
      description = "Does not ask before it begins; needed where nobody can answer.")
  private boolean yes;

  @Option(names = "--dry-run", description = "Looks and checks, prints the nodes; changes nothing.")
  private boolean dryRun;

  @Option(names = "--json", description = "Prints JSON at the end; progress goes to stderr.")
  private boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  boolean help;

  @Override
  int run() {
    if (to != null && !what.revert) {
      throw new ParameterException(spec().commandLine(), "--to needs --revert");
    }
    Optional<PlanText> plan = Optional.ofNullable(what.plan).map(PlanText::read);
    Path where =
        folder != null
            ? folder
            : plan.flatMap(text -> text.plan().output())
                .orElseGet(() -> SlurmConfFolder.of(System.getenv()));
    PrintWriter out = json ? err() : out();
    RolloutRun run = new RolloutRun(where, rest.address, !noCheck, out);
    if (what.status) {
      return status(run.latest());
    }
    if (what.abort) {
      run.abort();
      return OK;
    }
    if (what.continueOpen) {
      return end(run, run.continueOpen(options));
    }
    Optional<RolloutResult> ending =
        what.revert
            ? run.revert(Optional.ofNullable(to), options, dryRun, yes)
            : run.apply(plan.orElseThrow(), options, dryRun, yes);
    return ending.isEmpty() ? OK : end(run, ending.get());
  }

  private int status(Optional<RolloutRecord> latest) {
    PrintWriter out = out();
    if (json) {
      out.print(Json.write(latest.map(RolloutReport::json).orElse(Map.of("open", false))));
    } else {
      out.print(latest.map(RolloutReport::status).orElse("no rollout\n"));
    }
    out.flush();
    return OK;
  }

  private int end(RolloutRun run, RolloutResult ending) {
    PrintWriter out = out();
    RolloutRecord record = run.latest().orElseThrow();
    if (json) {
      out.print(Json.write(RolloutReport.json(record, ending)));
    } else {
      out.print(RolloutReport.nodes(record.nodes()));
    }
    out.flush();
    if (ending.kind() != RolloutResult.Kind.DONE) {
      err().println(ending.message());
    }
    if (record.phase().isOpen()) {
      err().println(RolloutReport.open(record));
    }
    return switch (ending.kind()) {
      case DONE -> OK;
      case LEFT -> LEFT;
      case STOPPED -> STOPPED;
      case JOBS_REMAIN -> JOBS_REMAIN;
    };
  }
}
