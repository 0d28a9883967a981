package org.schedgpu.gres.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.gres.change.ConfigChanges;
import org.schedgpu.gres.change.Outcome;
import org.schedgpu.gres.change.RequestedFiles;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.Json;
import org.schedgpu.gres.files.GresFiles;
import org.schedgpu.gres.files.SlurmCheck;
import org.schedgpu.gres.files.SlurmConfFolder;
import org.schedgpu.gres.live.LiveException;
import org.schedgpu.gres.live.ScontrolController;
import org.schedgpu.gres.rollout.RecordStore;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code schedgpu gres apply}: puts the files of a plan in place. It takes the plan itself and not
 * the options of plan, so that exactly the reviewed plan is applied, and files that changed since
 * are noticed.
 */
@Command(
    name = "apply",
    sortOptions = false,
    customSynopsis = {
      "schedgpu gres apply --plan FILE [--folder DIR] [--file NAME=FILE]...",
      "                    [--check] [--dry-run] [--force] [--while-jobs-run]",
      "                    [--json]"
    },
    descriptionHeading = "%n",
    description = {
      "Puts the files of a plan into the folder of slurm.conf, as a set.",
      "",
      "Owner, group and mode stay, links stay links, and what was there is kept in",
      "schedgpu-backup. Ended at any moment, each file is the old or the new one; the",
      "next apply finishes the set, revert undoes it. Slurm is not restarted: see the notes.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The files are in place, or were already.",
      "1:Refused, or a file cannot be read or written; stderr says which.",
      "2:Wrong usage."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  Plan, look at it, and apply what you have seen, slurm.conf included:",
      "    schedgpu gres plan --facts gpu1.json --per-gpu 12 \\",
      "      --slurm-conf /etc/slurm/slurm.conf --json > plan.json",
      "    schedgpu gres apply --plan plan.json --check --dry-run",
      "    schedgpu gres apply --plan plan.json --check",
      "  With a slurm.conf that you edited yourself instead:",
      "    schedgpu gres apply --plan plan.json --file slurm.conf=new.conf",
      "  And back:",
      "    schedgpu gres revert"
    })
public final class ApplyCommand extends GresAction {
  private static final int DIFF_LINES = 40;
  private static final String SLURM_CONF = "slurm.conf";

  @Option(
      names = "--plan",
      required = true,
      paramLabel = "FILE",
      description = "What schedgpu gres plan --json printed; - is standard input.")
  private Path planFile;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description =
          "Where to. Default: --output of the plan, else the folder of"
              + " $$SLURM_CONF, else /etc/slurm.")
  private Path folder;

  @Option(
      names = "--file",
      paramLabel = "NAME=FILE",
      description = "Also puts FILE into the folder as NAME. Repeatable.")
  private Map<String, Path> more = new LinkedHashMap<>();

  @Option(
      names = "--check",
      description = "First lets the installed slurmd read the new files, in a copy.")
  private boolean check;

  @Option(names = "--dry-run", description = "Prints what would change; changes nothing.")
  private boolean dryRun;

  @Option(
      names = "--force",
      description = "Replaces also what changed since the plan; a copy is kept.")
  private boolean force;

  @Option(
      names = "--while-jobs-run",
      description = "Also over GPU jobs that a later scontrol reconfigure would kill.")
  private boolean whileJobsRun;

  @Option(names = "--json", description = "Prints JSON.")
  private boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  boolean help;

  @Override
  int run() {
    PlanFile plan = PlanFile.read(planFile);
    Path to =
        folder != null
            ? folder
            : plan.output().orElseGet(() -> SlurmConfFolder.of(System.getenv()));
    Map<String, byte[]> files = plan.files();
    more.forEach((name, file) -> files.put(name, bytes(file)));
    RequestedFiles wanted = new RequestedFiles(files, plan.seenIn(to), more.keySet());
    ConfigChanges changes = new ConfigChanges(to);
    RecordStore.of(changes.folder()).requireNoneOpen();
    Outcome preview = check || dryRun ? changes.preview(wanted, force) : null;
    List<String> checked =
        check ? SlurmCheck.installed().run(to, files, plan.gresByNode()) : List.of();
    String notAsked = dryRun || whileJobsRun ? "" : refuseOverJobs(plan, to);
    Outcome outcome = dryRun ? preview : changes.apply(wanted, force);
    print(outcome, checked, notAsked, to, plan);
    return OK;
  }

  /**
   * Returns a note if slurmctld could not be asked about GPU jobs. It is asked only if the folder
   * is the one that it reads.
   */
  private static String refuseOverJobs(PlanFile plan, Path to) {
    boolean live =
        Files.exists(to.resolve(SLURM_CONF))
            && SlurmConfFolder.same(to, SlurmConfFolder.of(System.getenv()));
    if (live) {
      try {
        RunningJobsCheck.refuse(new ScontrolController(System.getenv()), plan.gresByNode());
      } catch (LiveException e) {
        return "slurmctld was not asked whether GPU jobs run, which from Slurm 23.11 on anybody's"
            + " scontrol reconfigure now kills where the count changes";
      }
    }
    return "";
  }

  private static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new GresException(
          "file " + file + " of --file" + Check.unreadable(e), "name one that can be read", e);
    }
  }

  private void print(
      Outcome outcome, List<String> checked, String notAsked, Path to, PlanFile plan) {
    PrintWriter out = out();
    List<String> notes = new ArrayList<>(outcome.notes());
    if (!notAsked.isEmpty()) {
      notes.add(notAsked);
    }
    List<String> steps = List.of();
    if (outcome.changes() || !notes.isEmpty()) {
      steps = plan.stepsAfterApply();
      notes.addAll(nextSteps(plan, !steps.isEmpty()));
    }
    if (json) {
      Map<String, Object> root = outcome.json();
      root.put("dryRun", dryRun);
      root.put("checked", checked);
      root.put("notes", notes);
      root.put("steps", steps);
      out.print(Json.write(root));
    } else {
      checked.forEach(line -> out.println("checked: " + line));
      printText(out, outcome, to);
      notes.forEach(note -> out.println("note: " + note));
      out.print(steps.isEmpty() ? "" : "\nSteps that remain:\n");
      steps.forEach(out::println);
    }
    out.flush();
  }

  private void printText(PrintWriter out, Outcome outcome, Path to) {
    if (!outcome.changes()) {
      out.println("nothing to do: the files in " + to + " are those of the plan");
      return;
    }
    if (dryRun) {
      out.print(outcome.diff(DIFF_LINES));
      out.println("nothing was written: --dry-run");
      return;
    }
    outcome.lines().forEach(out::println);
    outcome.backup().ifPresent(backup -> out.println("backup: " + backup));
  }

  private List<String> nextSteps(PlanFile plan, boolean known) {
    List<String> notes = new ArrayList<>();
    if (plan.files().containsKey(GresFiles.SLURM_CONF) && !more.containsKey(SLURM_CONF)) {
      notes.add(
          "slurm.conf is as it was: put the lines of "
              + GresFiles.SLURM_CONF
              + " into it, or repeat with --file slurm.conf=FILE");
    }
    if (!known) {
      notes.add(
          "Slurm reads the files when slurmctld and every slurmd are restarted; drain the nodes of"
              + " GPU jobs before, else Slurm requeues them");
    }
    return notes;
  }
}
