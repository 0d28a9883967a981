package org.schedgpu.gres;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.schedgpu.gres.site.SiteChange;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

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
      "With --slurm-conf the cluster's slurm.conf and its includes are changed in",
      "the plan instead, and what is different is printed. Nothing is written without",
      "--output; the plan of --json is put in place by schedgpu gres apply.%n"
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
      "  The same with what it makes of the cluster's files; then the plan for apply:",
      "    schedgpu gres plan --facts gpu1.json --per-gpu 12 \\",
      "      --slurm-conf /etc/slurm/slurm.conf",
      "    schedgpu gres plan --facts gpu1.json --per-gpu 12 \\",
      "      --slurm-conf /etc/slurm/slurm.conf --json > plan.json",
      "  One device without a facts file, as JSON:",
      "    schedgpu gres plan --node gpu1 --per-gpu 4 --json --device \\",
      "      index=0,uuid=GPU-1,file=/dev/nvidia0,totalBytes=16G,name=T4"
    })
public final class PlanCommand implements Callable<Integer> {
  private static final int OK = 0;
  private static final int FAILED = 1;

  @Spec private CommandSpec spec;

  @Option(
      names = "--facts",
      paramLabel = "FILE",
      description = "Facts of a node, as schedgpu gres facts prints them. Repeatable.")
  private List<Path> factsFiles = new ArrayList<>();

  @Option(
      names = "--node",
      paramLabel = "NAME",
      description = "A node by options instead of a file, with --device.")
  private String node;

  @Option(names = "--cpus", paramLabel = "N", description = "CPUs of the node of --node.")
  private Integer cpus;

  @Option(
      names = "--device",
      paramLabel = "KEY=VALUE,...",
      description = "A device of the node of --node, with the keys of the facts. Repeatable.")
  private List<String> devices = new ArrayList<>();

  @ArgGroup(exclusive = true, multiplicity = "1", heading = "%nShares of a device, one of:%n")
  private Shares shares;

  static final class Shares {
    @Option(
        names = "--per-gpu",
        required = true,
        paramLabel = "N",
        description = "N shares, 1 to 256.")
    private Integer perGpu;

    @Option(
        names = "--per-cpu",
        required = true,
        description = "One share for each CPU of the node.")
    private boolean perCpu;

    @Option(
        names = "--share",
        required = true,
        paramLabel = "SIZE",
        description = "As many shares of SIZE (6G, 512M, 25%%) as fit.")
    private String share;

    ShareRule rule() {
      if (perGpu != null) {
        return ShareRule.perGpu(perGpu);
      }
      return perCpu ? ShareRule.perCpu() : ShareRule.ofMemory(share);
    }
  }

  @ArgGroup(validate = false, heading = "%nWhat is written:%n")
  private Layout layout = new Layout();

  static final class Layout {
    @Option(
        names = "--order",
        paramLabel = "ORDER",
        converter = OrderConverter.class,
        description = "spread (default): devices alternate; pack: a device is filled first.")
    private Order order = Order.SPREAD;

    @Option(
        names = "--no-links",
        description = "No Links=: jobs of several GPUs may get one device more often.")
    private boolean noLinks;

    @Option(
        names = "--type",
        paramLabel = "TYPE",
        description = "Type in Slurm. Default: made from the device's name.")
    private String type;

    @Option(
        names = "--control-file",
        paramLabel = "FILE",
        description = "Control device file. Default: nvidiactl beside the device file.")
    private String controlFile;

    @Option(names = "--plugstack", paramLabel = "FILE", description = "PlugStackConfig.")
    private String plugStack;

    @Option(names = "--prolog", paramLabel = "FILE", description = "Prolog.")
    private String prolog;

    @Option(names = "--epilog", paramLabel = "FILE", description = "Epilog.")
    private String epilog;

    @Option(
        names = "--prolog-epilog-timeout",
        paramLabel = "SECONDS",
        description = "PrologEpilogTimeout. Default: 60.")
    private int timeoutSeconds = SlurmConfSettings.DEFAULT_TIMEOUT_SECONDS;
  }

  @ArgGroup(validate = false, heading = "%nThe cluster\'s own files:%n")
  private SiteOptions site = new SiteOptions();

  @ArgGroup(validate = false, heading = "%nWhere to:%n")
  private Target target = new Target();

  static final class Target {
    @Option(
        names = {"-o", "--output"},
        paramLabel = "DIR",
        description = "Writes the files into DIR, each as a whole or not at all.")
    private Path output;

    @Option(names = "--dry-run", description = "Prints what --output would write.")
    private boolean dryRun;

    @Option(names = "--force", description = "Replaces a gres.conf that is not schedGPU's.")
    private boolean force;

    @Option(names = "--json", description = "Prints JSON; sizes are bytes.")
    private boolean json;

    @Option(
        names = {"-h", "--help"},
        usageHelp = true,
        description = "Shows this help.")
    boolean help;
  }

  static final class OrderConverter implements ITypeConverter<Order> {
    @Override
    public Order convert(String word) {
      try {
        return Order.of(word);
      } catch (GresException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }

  @Override
  public Integer call() {
    requireNodes();
    try {
      run();
      return OK;
    } catch (GresException e) {
      spec.commandLine().getErr().println(e.getMessage());
      return FAILED;
    }
  }

  private void requireNodes() {
    if (node == null && factsFiles.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "no node: give --facts or --node");
    }
    if ((node == null) != devices.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "--node and --device go together");
    }
    site.misplaced()
        .ifPresent(
            option -> {
              throw new ParameterException(spec.commandLine(), option + " needs --slurm-conf");
            });
    if (node == null && cpus != null) {
      throw new ParameterException(spec.commandLine(), "--cpus needs --node");
    }
  }

  private void run() {
    List<NodeFacts> facts = facts();
    GresPlan plan = new GresPlan(facts.stream().map(this::planOf).toList(), settings());
    Optional<SiteChange> change =
        site.cluster().map(cluster -> cluster.change(plan, site.wishes()));
    PlannedFiles files = new PlannedFiles(GresConfigGenerator.generate(plan), change);
    Path folder =
        target.output != null ? target.output : change.map(SiteChange::folder).orElse(null);
    boolean write = target.output != null && !target.dryRun;
    Map<String, Object> before = folder == null ? null : files.seen(folder);
    List<Path> written = write ? write(files, change) : List.of();
    PlanReport report = new PlanReport(plan, cpusByNode(facts), change);
    PrintWriter out = spec.commandLine().getOut();
    if (target.json) {
      Map<String, Object> json = report.json(files, folder, write);
      json.put("before", before);
      out.print(Json.write(json));
    } else {
      out.print(report.table());
      out.println();
      written.forEach(file -> out.println("written: " + file));
      out.print(write ? "" : change.isPresent() ? files.diffText(folder) : files.text());
      report.notes().forEach(note -> out.println("note: " + note));
    }
    out.flush();
  }

  /** The cluster's files are replaced by apply only, which keeps what was there. */
  private List<Path> write(PlannedFiles files, Optional<SiteChange> change) {
    if (change.isPresent() && SlurmConfFolder.same(change.get().folder(), target.output)) {
      throw new GresException(
          "folder " + target.output + " is that of slurm.conf, where plan writes nothing",
          "keep the plan with --json > plan.json, then schedgpu gres apply --plan plan.json");
    }
    return new ConfigFolder(target.output).write(files.byName(), target.force);
  }

  private List<NodeFacts> facts() {
    List<NodeFacts> facts = new ArrayList<>(factsFiles.stream().map(NodeFacts::read).toList());
    if (node != null) {
      facts.add(new NodeFacts(node, cpus, devices.stream().map(DeviceOption::parse).toList()));
    }
    return facts;
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
