package org.schedgpu.gres;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code schedgpu gres plan}: facts and a rule in, the three files out. */
@Command(
    name = "plan",
    sortOptions = false,
    customSynopsis = {
      "schedgpu gres plan (--facts FILE... | --node NAME --device KEY=VALUE,...)",
      "                   (--per-gpu N | --per-cpu | --share SIZE) [OPTIONS]"
    },
    description = {
      "%nPlans m devices x n shares and prints or writes three files: gres.conf,",
      "slurm-schedgpu.conf (lines to put into slurm.conf) and devices.conf.",
      "Nothing is written without --output; slurm.conf itself never is.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The plan was printed or written.",
      "1:The plan is not possible, or a file cannot be read or written.",
      "2:Wrong usage."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  Twelve shares on each device of two nodes, printed:",
      "    schedgpu gres plan --facts gpu1.json --facts gpu2.json --per-gpu 12",
      "  As many shares of 6 GiB as fit, one device filled first, written:",
      "    schedgpu gres plan --facts gpu1.json --share 6G --order pack \\",
      "      --output /etc/slurm/new",
      "  One device without a facts file, as JSON:",
      "    schedgpu gres plan --node gpu1 --per-gpu 4 --json --device \\",
      "      index=0,uuid=GPU-1,file=/dev/nvidia0,totalBytes=16G,name=T4"
    })
public final class PlanCommand implements Callable<Integer> {
  private static final int OK = 0;
  private static final int FAILED = 1;

  @Spec private CommandSpec spec;

  @ArgGroup(validate = false, heading = "%nThe nodes:%n")
  private PlanNodes nodes = new PlanNodes();

  @ArgGroup(validate = false, heading = "%nThe cluster as it is:%n")
  private PlanCluster cluster = new PlanCluster();

  @ArgGroup(exclusive = true, multiplicity = "1", heading = "%nShares of a device, one of:%n")
  private PlanShares shares;

  @ArgGroup(validate = false, heading = "%nWhat is written:%n")
  private PlanLayout layout = new PlanLayout();

  @ArgGroup(validate = false, heading = "%nWhere to:%n")
  private PlanTarget target = new PlanTarget();

  @Override
  public Integer call() {
    nodes.check(spec);
    try {
      run();
      return OK;
    } catch (GresException e) {
      spec.commandLine().getErr().println(e.getMessage());
      return FAILED;
    }
  }

  private void run() {
    List<NodeFacts> facts = nodes.facts();
    GresPlan plan = new GresPlan(facts.stream().map(this::planOf).toList(), settings());
    Optional<ClusterNow> now = cluster.now();
    now.ifPresent(current -> current.with(plan));
    GresFiles files = GresConfigGenerator.generate(plan);
    boolean write = target.output != null && !target.dryRun;
    Map<String, Object> before = target.output == null ? null : PlanFile.seen(target.output, files);
    List<Path> written =
        write ? new ConfigFolder(target.output).write(files, target.force) : List.of();
    PlanReport report = new PlanReport(plan, cpusByNode(facts), now);
    PrintWriter out = spec.commandLine().getOut();
    if (target.json) {
      Map<String, Object> json = report.json(files, target.output, write);
      json.put("before", before);
      out.print(Json.write(json));
    } else {
      out.print(report.table());
      printFiles(out, files, write, written);
      report.notes().forEach(note -> out.println("note: " + note));
    }
    out.flush();
  }

  private static void printFiles(
      PrintWriter out, GresFiles files, boolean write, List<Path> written) {
    out.println();
    if (write) {
      written.forEach(file -> out.println("written: " + file));
      return;
    }
    files.byName().forEach((name, text) -> out.print("==> " + name + " <==\n" + text + "\n"));
  }

  private NodePlan planOf(NodeFacts facts) {
    return new NodePlan(
        facts.nodeName(),
        facts.devices(),
        shares.rule().sharesOf(facts),
        layout.type != null ? layout.type : typeOf(facts),
        layout.order,
        !layout.noLinks,
        Optional.ofNullable(layout.controlFile));
  }

  /** Tesla K20m becomes tesla_k20m. */
  private static String typeOf(NodeFacts facts) {
    Set<String> names = facts.devices().stream().map(Device::name).collect(Collectors.toSet());
    if (names.size() > 1) {
      throw new GresException(
          "node %s has devices of different names %s".formatted(facts.nodeName(), names),
          "name one type for all with --type");
    }
    return names.iterator().next().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.-]+", "_");
  }

  private SlurmConfSettings settings() {
    return new SlurmConfSettings(
        Optional.ofNullable(layout.plugStack),
        Optional.ofNullable(layout.prolog),
        Optional.ofNullable(layout.epilog),
        layout.timeoutSeconds,
        Map.of());
  }

  private static Map<String, OptionalInt> cpusByNode(List<NodeFacts> facts) {
    Map<String, OptionalInt> cpus = new LinkedHashMap<>();
    facts.forEach(node -> cpus.put(node.nodeName(), node.knownCpus()));
    return cpus;
  }
}
