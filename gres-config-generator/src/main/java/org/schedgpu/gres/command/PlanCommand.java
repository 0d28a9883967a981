package org.schedgpu.gres.command;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.Json;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.files.ConfigFolder;
import org.schedgpu.gres.files.CurrentGresConf;
import org.schedgpu.gres.files.GresConfChange;
import org.schedgpu.gres.files.GresConfigGenerator;
import org.schedgpu.gres.files.PlannedFiles;
import org.schedgpu.gres.files.SeparateGresConf;
import org.schedgpu.gres.files.SlurmConfFolder;
import org.schedgpu.gres.plan.Affinity;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.ShardRule;
import org.schedgpu.gres.rule.CoreNumbers;
import org.schedgpu.gres.rule.MissingDevices;
import org.schedgpu.gres.rule.Planner;
import org.schedgpu.gres.rule.TypeNames;
import org.schedgpu.gres.rule.WholeSockets;
import org.schedgpu.gres.site.Notice;
import org.schedgpu.gres.site.Severity;
import org.schedgpu.gres.site.SiteChange;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** {@code schedgpu gres plan}: makes three files from facts and a rule. */
@Command(
    name = "plan",
    sortOptions = false,
    customSynopsis = {
      "schedgpu gres plan (--facts FILE... | --node NAME --device KEY=VALUE,...)",
      "                   (--per-gpu N | --per-cpu | --share SIZE | --by-memory | --rule ...)",
      "                   [OPTIONS]"
    },
    descriptionHeading = "%n",
    description = {
      "Plans the shares of each device and shows what changes; writes nothing.",
      "",
      "m devices x n shares make three files: gres.conf, slurm-schedgpu.conf (lines",
      "to put into slurm.conf) and devices.conf. With --slurm-conf the cluster's",
      "slurm.conf and its includes are changed in the plan instead, and what is",
      "different is printed. Only --output writes files; the plan of --json is put in",
      "place by schedgpu gres apply.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The plan was printed or written.",
      "1:The plan is not possible, or a file cannot be read or written.",
      "2:Wrong usage."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  The facts of a node, as its NVML has them, written on that node:",
      "    schedgpu gres facts > gpu1.json",
      "  Twelve shares on each device of two nodes, printed:",
      "    schedgpu gres plan --facts gpu1.json --facts gpu2.json --per-gpu 12",
      "  As many shares of 6 GiB as fit, one device filled first, written:",
      "    schedgpu gres plan --facts gpu1.json --share 6G --order pack \\",
      "      --output /etc/slurm/new",
      "  Memory in shards of 1 GiB, each given out one and a half times:",
      "    schedgpu gres plan --facts gpu1.json --by-memory --unit 1G --overbook 1.5",
      "  The same with what it makes of the cluster's files; then the plan for apply:",
      "    schedgpu gres plan --facts gpu1.json --per-gpu 12 \\",
      "      --slurm-conf /etc/slurm/slurm.conf",
      "    schedgpu gres plan --facts gpu1.json --per-gpu 12 \\",
      "      --slurm-conf /etc/slurm/slurm.conf --json > plan.json",
      "  Twelve shares on the A100 of some nodes, the last one whole, two elsewhere:",
      "    schedgpu gres plan --facts facts.d --per-gpu 2 \\",
      "      --rule 'nodes=gpu[01-04,7],type=a100,per-gpu=12,keep-exclusive=1'",
      "  One device without a facts file, as JSON:",
      "    schedgpu gres plan --node gpu1 --per-gpu 4 --json --device \\",
      "      index=0,uuid=GPU-1,file=/dev/nvidia0,totalBytes=16G,name=T4"
    })
public final class PlanCommand extends GresAction {

  @ArgGroup(validate = false, heading = "%nThe nodes:%n")
  private PlanNodes nodes = new PlanNodes();

  @ArgGroup(validate = false, heading = "%nThe cluster as it is:%n")
  private PlanCluster cluster = new PlanCluster();

  @Mixin private LiveOption live;

  @ArgGroup(exclusive = true, heading = "%nShares of a device, one of:%n")
  private PlanShares shares;

  @ArgGroup(validate = false, heading = "%nWith --by-memory:%n")
  private PlanMemory memory = new PlanMemory();

  @ArgGroup(validate = false, heading = "%nWhich devices:%n")
  private PlanRules rules = new PlanRules();

  @ArgGroup(validate = false, heading = "%nWhat is written:%n")
  private PlanLayout layout = new PlanLayout();

  @ArgGroup(validate = false, heading = "%nWhat else changes in the cluster's files:%n")
  private SiteOptions site = new SiteOptions();

  @ArgGroup(validate = false, heading = "%nWhere to:%n")
  private PlanTarget target = new PlanTarget();

  @Override
  int run() {
    nodes.check(spec());
    Optional<ShardRule> byMemory =
        memory.rule(spec(), shares != null && shares.isByMemory(), rules);
    layout.check(spec(), byMemory);
    if (shares == null && rules.rules.isEmpty()) {
      throw new ParameterException(
          spec().commandLine(),
          "no number of shares: give --per-gpu, --per-cpu, --share, --by-memory or --rule");
    }
    site.check(spec(), cluster.slurmConf != null);
    plan(byMemory);
    return OK;
  }

  private void plan(Optional<ShardRule> byMemory) {
    PlanNodes.Read read = nodes.read();
    List<NodeFacts> found = live.complete(read.facts());
    Optional<SlurmVersion> liveVersion = live.version();
    SlurmVersion version = cluster.version(liveVersion);
    Optional<CurrentCluster> now = cluster.now();
    List<NodeFacts> facts = now.map(n -> found.stream().map(n::withCpus).toList()).orElse(found);
    Function<String, String> gresOf = name -> now.map(n -> n.gresIfKnown(name)).orElse("");
    Optional<CurrentGresConf> gresConf = cluster.gresConf(now, gresOf);
    Planner planner =
        new Planner(
            rules.rules(Optional.ofNullable(shares).map(PlanShares::rule)),
            TypeNames.of(rules.types),
            layout.nodeLayout(version, byMemory),
            gresConf,
            gresOf);
    GresPlan plan = new GresPlan(planner.plan(facts), layout.settings(), cluster.removeShards);
    WholeSockets.require(
        version,
        plan.nodes(),
        name -> now.map(n -> n.coresPerSocket(name)).orElse(OptionalInt.empty()),
        name -> now.map(n -> n.coreCount(name)).orElse(OptionalInt.empty()));
    List<Notice> notices = new ArrayList<>();
    version.reconfigureNote().ifPresent(text -> notices.add(new Notice(Severity.LOSS, text)));
    gresConf.ifPresent(
        conf ->
            notices.addAll(
                Notice.all(
                    Severity.LOSS,
                    new MissingDevices(conf, gresOf)
                        .check(facts, plan.nodeNames(), cluster.removeMissing))));
    now.ifPresent(n -> notices.addAll(n.unlisted(gresConf, plan.nodeNames())));
    now.ifPresent(
        n ->
            notices.addAll(
                Notice.all(Severity.COUNTS, CoreNumbers.check(plan.nodes(), n::coreCount))));
    now.flatMap(n -> n.hooks(plan))
        .ifPresent(text -> notices.add(new Notice(Severity.COUNTS, text)));
    SeparateGresConf.note(plan, gresOf, gresConf)
        .ifPresent(text -> notices.add(new Notice(Severity.COUNTS, text)));
    notices.addAll(Notice.all(Severity.NOTE, planner.notes()));
    notices.addAll(Notice.all(Severity.NOTE, read.notes()));
    byMemory.ifPresent(rule -> notices.addAll(Notice.all(Severity.NOTE, ShardNotes.of(plan))));
    if (layout.affinity(byMemory) == Affinity.LINKS) {
      version.linksNote().ifPresent(text -> notices.add(new Notice(Severity.COUNTS, text)));
    }
    notices.add(new Notice(Severity.NOTE, layout.affinity(byMemory).cost()));
    notices.addAll(Notice.all(Severity.NOTE, cluster.versionNotes(version, liveVersion)));
    notices.addAll(Notice.all(Severity.NOTE, version.notes()));
    gresConf.ifPresent(conf -> notices.addAll(conf.notices()));
    notices.addAll(Notice.all(Severity.NOTE, live.notes(plan)));
    Optional<SiteChange> change = now.map(n -> n.change(plan, site.request(plan)));
    Optional<GresConfChange> gresChange =
        gresConf.map(conf -> GresConfChange.of(conf, plan, target.force));
    gresChange.ifPresent(c -> notices.addAll(Notice.all(Severity.COUNTS, c.notes())));
    show(
        new PlanReport(plan, cpusByNode(facts), change, notices),
        new PlannedFiles(GresConfigGenerator.generate(plan), change, gresChange),
        change);
  }

  private void show(PlanReport report, PlannedFiles files, Optional<SiteChange> change) {
    Path folder =
        target.output != null ? target.output : change.map(SiteChange::folder).orElse(null);
    boolean write = target.output != null && !target.dryRun;
    Map<String, Object> before = folder == null ? null : files.seen(folder);
    List<Path> written = write ? write(files, change) : List.of();
    PrintWriter out = out();
    if (target.json) {
      Map<String, Object> json = report.json(files, folder, write);
      json.put("before", before);
      Json.write(json, out);
    } else {
      out.print(report.table());
      out.println();
      written.forEach(file -> out.println("written: " + file));
      if (!write && change.isPresent()) {
        files.printDiff(out, folder, target.diffLines());
      } else if (!write) {
        files.print(out);
      }
      out.print(report.text(files, folder));
    }
    out.flush();
  }

  /**
   * Writes the plan's files. Only apply replaces files of the cluster, because it keeps a backup.
   */
  private List<Path> write(PlannedFiles files, Optional<SiteChange> change) {
    if (change.isPresent() && SlurmConfFolder.same(change.get().folder(), target.output)) {
      throw new GresException(
          "folder " + target.output + " is that of slurm.conf, where plan writes nothing",
          "keep the plan with --json > plan.json, then schedgpu gres apply --plan plan.json");
    }
    boolean isBase = files.isMadeFrom(target.output);
    return new ConfigFolder(target.output).write(files.byName(), target.force || isBase);
  }

  private static Map<String, OptionalInt> cpusByNode(List<NodeFacts> facts) {
    Map<String, OptionalInt> cpus = new LinkedHashMap<>();
    facts.forEach(node -> cpus.put(node.nodeName(), node.knownCpus()));
    return cpus;
  }
}
