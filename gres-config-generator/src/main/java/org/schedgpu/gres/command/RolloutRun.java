package org.schedgpu.gres.command;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.change.BackupLine;
import org.schedgpu.gres.change.ConfigChanges;
import org.schedgpu.gres.change.PrivateFiles;
import org.schedgpu.gres.common.DevicesLink;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.Terminal;
import org.schedgpu.gres.files.DeviceOrder;
import org.schedgpu.gres.files.SlurmCheck;
import org.schedgpu.gres.live.Controller;
import org.schedgpu.gres.live.Controllers;
import org.schedgpu.gres.live.ScontrolStartTimes;
import org.schedgpu.gres.rollout.Abort;
import org.schedgpu.gres.rollout.Commands;
import org.schedgpu.gres.rollout.NodeRecord;
import org.schedgpu.gres.rollout.Preflight;
import org.schedgpu.gres.rollout.RecordStore;
import org.schedgpu.gres.rollout.Report;
import org.schedgpu.gres.rollout.Rollout;
import org.schedgpu.gres.rollout.RolloutRecord;
import org.schedgpu.gres.rollout.RolloutResult;
import org.schedgpu.gres.rollout.Shell;
import org.schedgpu.gres.rollout.Ticker;

/**
 * Runs what the options of {@code schedgpu gres rollout} ask for. One process at a time works on a
 * folder.
 */
final class RolloutRun {
  private static final String LOCK = "rollout.lock";
  private static final String PLAN = "rollout-plan.json";
  private static final DateTimeFormatter ID =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  private final Path folder;
  private final String rest;
  private final Report report;
  private final PrintWriter out;
  private final boolean check;
  private final PrivateFiles files;
  private final RecordStore store;

  /**
   * @param check whether slurmd reads the files before the rollout begins
   * @throws GresException if the folder does not exist
   */
  RolloutRun(Path folder, String rest, boolean check, PrintWriter out) {
    this.folder = new ConfigChanges(folder).folder();
    this.rest = rest;
    this.check = check;
    report = new Report(out, Terminal.isOutput());
    this.out = out;
    files = new PrivateFiles(this.folder);
    store = new RecordStore(files);
  }

  Optional<RolloutRecord> latest() {
    return store.read();
  }

  /** Rolls out a plan. Returns an empty result for a dry run, or if the user declines. */
  Optional<RolloutResult> apply(
      PlanText plan, RolloutOptions options, boolean dryRun, boolean yes) {
    return alone(
        dryRun,
        () -> {
          store.requireNoneOpen();
          RolloutFiles change = RolloutFiles.of(plan.plan(), folder, List.of());
          Commands commands = options.commands(rest);
          Controller controller = controller(commands);
          List<NodeRecord> nodes =
              look(change, plan.plan().gresByNode(), controller, Optional.empty());
          if (dryRun || !confirmed(yes)) {
            return Optional.empty();
          }
          files.write(PLAN, plan.json().getBytes(StandardCharsets.UTF_8));
          RolloutRecord record =
              RolloutRecord.begin(
                  id(), RolloutRecord.Way.APPLY, null, change.backups(), commands, nodes);
          return Optional.of(begin(record, controller));
        });
  }

  /**
   * As {@link #apply}, but undoes a change. It also ends a rollout that stopped after its change.
   */
  Optional<RolloutResult> revert(
      Optional<String> to, RolloutOptions options, boolean dryRun, boolean yes) {
    return alone(
        dryRun,
        () -> {
          Optional<RolloutRecord> open = openForward();
          String id = to.orElseGet(() -> latestChange(open));
          RolloutFiles change = RolloutFiles.before(id, folder, List.of());
          Commands commands =
              open.map(record -> options.commands(record.commands()))
                  .orElseGet(() -> options.commands(rest));
          Controller controller = controller(commands);
          List<NodeRecord> nodes = look(change, named(open), controller, open);
          if (dryRun || !confirmed(yes)) {
            return Optional.empty();
          }
          RolloutRecord record =
              RolloutRecord.begin(
                      id(), RolloutRecord.Way.REVERT, id, change.backups(), commands, nodes)
                  .following(open.map(RolloutRecord::id).orElse(null));
          return Optional.of(begin(record, controller));
        });
  }

  RolloutResult continueOpen(RolloutOptions options) {
    return alone(
        false,
        () -> {
          RolloutRecord open = requireOpen();
          RolloutRecord record = open.with(options.commands(open.commands()));
          return begin(record, controller(record.commands()));
        });
  }

  void abort() {
    alone(
        false,
        () -> {
          RolloutRecord open = requireOpen();
          List<String> resumed = Abort.run(open, controller(open.commands()), store, filesOf(open));
          report.line(
              resumed.isEmpty()
                  ? "given up; no node was drained by it"
                  : "given up, resumed: " + String.join(" ", resumed));
          return true;
        });
  }

  private <T> T alone(boolean onlyLook, java.util.function.Supplier<T> work) {
    return onlyLook ? work.get() : files.alone(LOCK, work);
  }

  private static String id() {
    return ID.format(Clock.systemUTC().instant());
  }

  private Controller controller(Commands commands) {
    return Controllers.choose(
        Optional.ofNullable(rest == null ? commands.rest() : rest), System.getenv(), report::line);
  }

  private RolloutResult begin(RolloutRecord record, Controller controller) {
    store.write(record);
    ScontrolStartTimes starts = new ScontrolStartTimes(System.getenv());
    Thread interruptHook = interruptHook(record.id());
    Runtime.getRuntime().addShutdownHook(interruptHook);
    try {
      return new Rollout(
              record, controller, starts, store, filesOf(record), new Shell(), report, new Ticker())
          .run();
    } finally {
      forget(interruptHook);
    }
  }

  /** The hook that reports an interruption by a signal. */
  private Thread interruptHook(String id) {
    return new Thread(
        () ->
            report.line(
                "interrupted: rollout %s is open, nodes stay as they are: go on with schedgpu gres"
                        .formatted(id)
                    + " rollout --continue, or see --status"),
        "rollout-farewell");
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending; the hook prints the message.
    }
  }

  private RolloutFiles filesOf(RolloutRecord record) {
    if (record.way() == RolloutRecord.Way.REVERT) {
      return RolloutFiles.before(record.revertTo(), folder, record.backupsBefore());
    }
    byte[] plan =
        files
            .read(PLAN)
            .orElseThrow(
                () ->
                    new GresException(
                        "the plan of the rollout is not in " + files.folder(),
                        "put it there as " + PLAN + ", for its owner only"));
    String place = "plan " + files.folder().resolve(PLAN);
    PlanText text = PlanText.parse(new String(plan, StandardCharsets.UTF_8), place);
    return RolloutFiles.of(text.plan(), folder, record.backupsBefore());
  }

  private RolloutRecord requireOpen() {
    return store
        .open()
        .orElseThrow(
            () ->
                new GresException(
                    "no rollout is open in " + folder, "begin one with --plan or --revert"));
  }

  private Optional<RolloutRecord> openForward() {
    Optional<RolloutRecord> open = store.open();
    open.ifPresent(
        record -> {
          if (record.way() == RolloutRecord.Way.REVERT || !filesOf(record).hasBegun()) {
            store.requireNoneOpen();
          }
        });
    return open;
  }

  private String latestChange(Optional<RolloutRecord> open) {
    List<BackupLine> all = new ArrayList<>(new ConfigChanges(folder).list());
    all.removeIf(line -> line.step().equals("reverted"));
    open.ifPresent(record -> all.removeIf(line -> record.backupsBefore().contains(line.id())));
    if (all.isEmpty()) {
      throw new GresException(
          "there is no change to take back in " + folder, "see schedgpu gres revert --list");
    }
    return all.get(all.size() - 1).id();
  }

  /** The nodes that an open rollout names; each may have a slurmd with the old or the new count. */
  private static Map<String, String> named(Optional<RolloutRecord> open) {
    Map<String, String> named = new LinkedHashMap<>();
    open.ifPresent(record -> record.nodes().forEach(node -> named.put(node.name(), "")));
    return named;
  }

  private List<NodeRecord> look(
      RolloutFiles change,
      Map<String, String> named,
      Controller controller,
      Optional<RolloutRecord> follows) {
    Map<String, byte[]> next = change.preview();
    Map<String, String> target = change.gresByNode(next);
    RolloutNodes.requireSame(named, target);
    List<NodeRecord> found =
        RolloutNodes.of(
            List.copyOf(named.keySet()),
            target,
            controller.nodes(),
            DeviceOrder.moved(folder, next),
            follows.map(RolloutRecord::id));
    List<NodeRecord> nodes = follows.map(open -> open.handOver(found)).orElse(found);
    if (check) {
      SlurmCheck.installed()
          .run(folder, next, RolloutNodes.checkable(nodes))
          .forEach(line -> report.line("checked: " + line));
    }
    report.line(RolloutReport.nodes(nodes).stripTrailing());
    Preflight.lines(controller, new ScontrolStartTimes(System.getenv()), nodes)
        .forEach(report::line);
    if (next.getOrDefault(DevicesLink.NAME, new byte[0]).length > 0) {
      report.line(DevicesLink.note(folder));
    }
    return nodes;
  }

  private boolean confirmed(boolean yes) {
    return yes || Terminal.agrees(out, "Begin?");
  }
}
