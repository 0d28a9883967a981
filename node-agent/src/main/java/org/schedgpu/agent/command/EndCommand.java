package org.schedgpu.agent.command;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code schedgpu end}: ends a job whose epilog did not run. */
@Command(
    name = "end",
    description = {
      "Ends a job on this node whose epilog did not run.",
      "",
      "Frees what the job holds, and serves the waiters. Programs of the job that still",
      "run are not ended, but get no more device memory. For root."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The job has ended.",
      "1:No such job on this node, not root, or the region cannot be used.",
      "2:Wrong usage.",
      "3:There is no region on this node."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  schedgpu end slurm:4711", "  schedgpu end run:1234"})
public final class EndCommand extends NodeCommand {
  private static final int ROOT = 0;
  private static final Pattern JOB = Pattern.compile("(slurm|run):([0-9]{1,18})");

  @Parameters(paramLabel = "JOB", description = "As schedgpu status shows it: slurm:ID or run:ID.")
  private String job;

  @Override
  public Integer call() {
    Matcher matcher = JOB.matcher(job);
    if (!matcher.matches()) {
      throw new ParameterException(
          spec().commandLine(), "job " + job + " is none: write slurm:ID or run:ID");
    }
    checkUser(Posix.effectiveUid());
    JobKind kind = matcher.group(1).equals(JobKind.SLURM.text()) ? JobKind.SLURM : JobKind.RUN;
    try (SchedGpu region = openRegion()) {
      long processes = processes(region.snapshot());
      if (!region.jobEnd(kind, Long.parseLong(matcher.group(2)))) {
        throw new AgentException(
            job + ": there is no such job on this node: schedgpu status shows those that are");
      }
      out().println(job + ": ended" + living(processes));
    }
    return ExitCode.OK;
  }

  static void checkUser(int uid) {
    if (uid != ROOT) {
      throw new AgentException("only root ends a job's record: ask the administrator");
    }
  }

  private long processes(RegionSnapshot snapshot) {
    return snapshot.jobs().stream()
        .filter(there -> there.reference().equals(job))
        .flatMap(
            there ->
                snapshot.clients().stream()
                    .filter(client -> client.job().filter(r -> r == there.record()).isPresent()))
        .count();
  }

  private static String living(long processes) {
    return processes == 0
        ? ""
        : "; "
            + Texts.count(processes, "process", "processes")
            + " of it may still run, but can reserve nothing more";
  }
}
