package org.schedgpu.agent.command;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.schedgpu.agent.jobs.JobsQuestion;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.setup.NodeFactsReader;
import org.schedgpu.agent.text.JsonFields;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.gres.common.IndexList;
import org.schedgpu.gres.files.ShareMap;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code schedgpu gres devices}: the devices behind Slurm's GPU indexes, or of a job. */
@Command(
    name = "devices",
    sortOptions = false,
    description = {
      "Tells which devices of this node shares are on, or a job has.",
      "",
      "Slurm counts shares as GPUs: in SLURM_JOB_GPUS, in CUDA_VISIBLE_DEVICES of a",
      "Prolog or Epilog, and as IDX of scontrol show job -d. One line per device: index",
      "(as nvidia-smi -i takes it), UUID, device file, shares. Without --shares and --job",
      "all devices of the node."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Printed; with an empty list nothing.",
      "1:devices.conf has no such node or share, or the node no such job.",
      "2:Wrong usage.",
      "3:--job, and there is no region on this node."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  schedgpu gres devices --shares 5,7",
      "  In a site's prolog:",
      "    nvidia-smi -i $(schedgpu gres devices --shares \"$CUDA_VISIBLE_DEVICES\" \\",
      "      --print index)",
      "  schedgpu gres devices --job 4711 --print uuid"
    })
public final class DevicesCommand extends NodeCommand {
  private static final Pattern JOB = Pattern.compile("(?:(slurm|run):)?([0-9]{1,18})");

  private static final Map<String, Function<ShareMap.Entry, String>> FIELDS =
      Map.of(
          "index", ShareMap.Entry::device,
          "uuid", ShareMap.Entry::uuid,
          "file", ShareMap.Entry::file);

  @ArgGroup(exclusive = true)
  private Which which = new Which();

  /** One of them. */
  static final class Which {
    @Option(
        names = "--shares",
        paramLabel = "LIST",
        description = "Slurm's indexes, such as 5,7 or 0-3; may be empty.")
    private String shares;

    @Option(
        names = "--job",
        paramLabel = "ID",
        description = "A job on this node: Slurm's number, or slurm:ID or run:ID.")
    private String job;
  }

  @Option(
      names = "--print",
      paramLabel = "FIELD",
      description = "Prints only index, uuid or file, in one line with commas.")
  private String field;

  @Option(
      names = "--node",
      paramLabel = "NAME",
      description = "Slurm's NodeName. Default: $$SLURMD_NODENAME, else the host's name.")
  private String node;

  @Override
  public Integer call() {
    if (field != null && !FIELDS.containsKey(field)) {
      throw new ParameterException(
          spec().commandLine(), "--print " + field + " is none of index, uuid and file");
    }
    List<ShareMap.Entry> entries = chosen(devices());
    if (field == null) {
      entries.forEach(entry -> out().println(line(entry)));
    } else if (!entries.isEmpty()) {
      out().println(entries.stream().map(FIELDS.get(field)).collect(Collectors.joining(",")));
    }
    return ExitCode.OK;
  }

  private static String line(ShareMap.Entry entry) {
    return String.join(
        " ", entry.device(), entry.uuid(), entry.file(), IndexList.format(entry.shares()));
  }

  private List<ShareMap.Entry> devices() {
    String name = node != null ? node : NodeFactsReader.nodeName(System.getenv());
    ShareMap map = ShareMap.read(conf().devicesFile());
    List<ShareMap.Entry> entries = map.of(name);
    if (entries.isEmpty()) {
      throw new AgentException(
          "%s has no device of node %s: Slurm's indexes there are those of devices, or name the node with --node"
              .formatted(map.file(), name));
    }
    return entries;
  }

  private List<ShareMap.Entry> chosen(List<ShareMap.Entry> all) {
    if (which.job != null) {
      Set<String> devices = devicesOf(which.job);
      return all.stream().filter(entry -> devices.contains(entry.device())).toList();
    }
    if (which.shares == null) {
      return all;
    }
    List<Integer> shares =
        which.shares.isBlank() ? List.of() : ShareMap.shares("--shares ", which.shares.strip());
    for (int share : shares) {
      if (all.stream().noneMatch(entry -> entry.shares().contains(share))) {
        throw new AgentException(
            "GPU %d of Slurm is on no device in %s: it is not schedGPU's (NotOurs=), or the file is not that of this gres.conf"
                .formatted(share, conf().devicesFile()));
      }
    }
    return all.stream()
        .filter(entry -> shares.stream().anyMatch(entry.shares()::contains))
        .toList();
  }

  private Set<String> devicesOf(String wanted) {
    Matcher matcher = JOB.matcher(wanted);
    if (!matcher.matches()) {
      throw new ParameterException(
          spec().commandLine(), "--job " + wanted + " is none: write 4711, slurm:4711 or run:1234");
    }
    String kind = matcher.group(1) == null ? "slurm" : matcher.group(1);
    String reference = kind + ":" + matcher.group(2);
    JsonFields answer =
        new JsonFields(
            see("jobs", Map.of(), region -> JobsQuestion.answer(region, viewer(), runDir())));
    return answer.list("jobs").stream()
        .filter(job -> job.text("job").equals(reference))
        .findFirst()
        .orElseThrow(() -> unknown(reference, answer.number("hiddenJobs")))
        .list("devices")
        .stream()
        .map(device -> Long.toString(device.number("device")))
        .collect(Collectors.toSet());
  }

  private static AgentException unknown(String reference, long hidden) {
    return new AgentException(
        "%s: schedGPU has no such job on this node%s"
            .formatted(
                reference,
                hidden == 0
                    ? ": if Slurm has it, take its IDX from scontrol show job -d, for --shares"
                    : " that you may see ("
                        + Texts.count(hidden, "job", "jobs")
                        + " of other users): ask as root"));
  }
}
