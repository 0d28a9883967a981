package org.schedgpu.gres.command;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.Json;
import org.schedgpu.gres.files.SlurmConfFolder;
import org.schedgpu.gres.live.Controller;
import org.schedgpu.gres.live.ScontrolController;
import org.schedgpu.gres.verify.PlannedNode;
import org.schedgpu.gres.verify.PlannedNodesReader;
import org.schedgpu.gres.verify.Verification;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code schedgpu gres verify}: compares the cluster with its plan. */
@Command(
    name = "verify",
    sortOptions = false,
    customSynopsis = {
      "schedgpu gres verify [--plan FILE] [--folder DIR] [--rest ADDR] [--json]",
      "                     [--run-job [--nodes HOSTLIST] [--partition NAME]",
      "                     [--account NAME] [--wait SECONDS] [--limit SECONDS]]"
    },
    descriptionHeading = "%n",
    description = {
      "Compares the plan with the files in place and with slurmctld.",
      "",
      "The files are those in the folder of slurm.conf; of slurmctld it is what it",
      "believes of the nodes. Changes nothing. With --run-job a short job on each node",
      "tells which devices a virtual GPU really lets it open.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:All is right.",
      "1:Something is not right, or could not be asked; the output says what.",
      "2:Wrong usage."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  Are the files and slurmctld as planned?",
      "    schedgpu gres verify --plan plan.json",
      "  The files in place are the plan; ask slurmrestd:",
      "    schedgpu gres verify --rest unix:/run/slurmrestd.sock --json",
      "  And what do jobs on two nodes see?",
      "    schedgpu gres verify --plan plan.json --run-job --nodes gpu[1-2]"
    })
public final class VerifyCommand extends GresAction {
  private final Map<String, String> environment;

  /** Uses the environment of this process. */
  public VerifyCommand() {
    this(System.getenv());
  }

  VerifyCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Option(
      names = "--plan",
      paramLabel = "FILE",
      description =
          "What schedgpu gres plan --json printed; - is standard input. Default:"
              + " gres.conf and devices.conf of the folder are the plan.")
  private Path planFile;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description =
          "Where slurm.conf is. Default: --output of the plan, else the folder of"
              + " $$SLURM_CONF, else /etc/slurm.")
  private Path folder;

  @Mixin private RestOption rest;

  @ArgGroup(validate = false, heading = "%nA job on each node:%n")
  private VerifyJobs jobs = new VerifyJobs();

  @Option(names = "--json", description = "Prints JSON.")
  private boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  boolean help;

  @Override
  int run() {
    jobs.check(spec());
    PlanFile plan = planFile == null ? null : PlanFile.read(planFile);
    Path where = folder(plan);
    List<PlannedNode> planned = plan == null ? PlannedNodesReader.read(where) : plan.planned();
    Map<String, byte[]> files = plan == null ? Map.of() : plan.files();
    Verification verification = new Verification(planned, where, files);
    verification.compareFiles();
    String asked = ask(verification);
    jobs.run(verification, planned, where, environment, err());
    VerifyReport report = new VerifyReport(verification, where, asked);
    PrintWriter out = out();
    out.print(json ? Json.write(report.json()) : report.text());
    out.flush();
    return report.right() ? OK : FAILED;
  }

  private Path folder(PlanFile plan) {
    if (folder != null) {
      return folder.toAbsolutePath().normalize();
    }
    return (plan == null ? java.util.Optional.<Path>empty() : plan.output())
        .orElseGet(() -> SlurmConfFolder.of(environment));
  }

  /** Asks slurmctld, and returns the name of the program that answered. */
  private String ask(Verification verification) {
    try {
      // Verify changes nothing, so the note on who changes nodes is not needed.
      Controller controller = rest.controller(environment, line -> {});
      verification.ask(controller, () -> new ScontrolController(environment).config());
      return controller.description();
    } catch (GresException e) {
      verification.cannotAsk(e);
      return "nobody";
    }
  }
}
