package org.schedgpu.papers.paper002;

import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import org.schedgpu.jna.Policy;
import org.schedgpu.papers.common.Bars;
import org.schedgpu.papers.common.Numbers;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Picture;
import org.schedgpu.papers.common.Row;
import org.schedgpu.papers.common.Spread;
import org.schedgpu.papers.common.Table;
import org.schedgpu.papers.phases.PhasedOutcome;

/** Figures 6 to 10: response and completion times of groups of twenty tasks. */
final class Responses {
  private static final int RANDOM_GROUPS = 100;
  private static final double NS = 1e9;
  private static final List<Integer> PRIORITIES = List.of(Task.HIGH, Task.MIDDLE, Task.LOW);
  private static final List<String> NAMES = List.of("high", "middle", "low");

  /**
   * A group of tasks with the three ways to wake waiters.
   *
   * @param fifo after RBDM
   * @param hpfw after RBDM
   * @param smHpfw after RBDM
   */
  private record Group(
      List<Task> tasks, PhasedOutcome fifo, PhasedOutcome hpfw, PhasedOutcome smHpfw) {
    double responseS(PhasedOutcome outcome, int priority) {
      return sum(outcome, priority, job -> job.waitNs() / NS);
    }

    /** Of all priorities. */
    double completionS(PhasedOutcome outcome) {
      return PRIORITIES.stream()
          .mapToDouble(
              priority -> sum(outcome, priority, job -> (job.endNs() - job.job().submitNs()) / NS))
          .sum();
    }

    private double sum(
        PhasedOutcome outcome, int priority, ToDoubleFunction<PhasedOutcome.JobOutcome> seconds) {
      double sum = 0;
      for (int i = 0; i < tasks.size(); i++) {
        sum +=
            tasks.get(i).priority() == priority ? seconds.applyAsDouble(outcome.jobs().get(i)) : 0;
      }
      return sum;
    }

    double highPercentOfFifo() {
      return 100 * responseS(hpfw, Task.HIGH) / responseS(fifo, Task.HIGH);
    }

    double completionPercentOfFifo(PhasedOutcome outcome) {
      return 100 * completionS(outcome) / completionS(fifo);
    }
  }

  private final List<Group> three;
  private final List<Group> many;

  Responses(Policies policies) {
    three =
        List.of(
            group(Task.ofTableTwo(), policies),
            group(Task.random(1), policies),
            group(Task.random(2), policies));
    many =
        LongStream.rangeClosed(1, RANDOM_GROUPS)
            .mapToObj(seed -> group(Task.random(seed), policies))
            .toList();
  }

  private static Group group(List<Task> tasks, Policies policies) {
    return new Group(
        tasks,
        play(tasks, policies.rbdm()),
        play(tasks, policies.rbdmHpfw()),
        play(tasks, policies.rbdmSmHpfw()));
  }

  private static PhasedOutcome play(List<Task> tasks, Policy policy) {
    return Device.play(tasks.stream().map(Task::job).toList(), policy);
  }

  private double meanHighPercent() {
    double hpfw = three.stream().mapToDouble(g -> g.responseS(g.hpfw(), Task.HIGH)).sum();
    double fifo = three.stream().mapToDouble(g -> g.responseS(g.fifo(), Task.HIGH)).sum();
    return 100 * hpfw / fifo;
  }

  Part part() {
    List<Row> rows = rows();
    List<Picture> pictures = new ArrayList<>();
    for (int i = 0; i < three.size(); i++) {
      Group group = three.get(i);
      String figure = "Figure " + (6 + i);
      String title = figure + ": " + (i == 0 ? "test 1, Table 2" : "a random test");
      pictures.add(
          new Picture(
              "002-figure-" + (6 + i) + ".png",
              figure + ": sum of the response times of test " + (i + 1),
              () -> responses(title, List.of(group))));
    }
    pictures.add(
        new Picture(
            "002-figure-9.png",
            "Figure 9: mean of the three tests",
            () -> responses("Figure 9: mean of the three tests", three)));
    pictures.add(
        new Picture(
            "002-figure-10.png", "Figure 10: sum of the completion times", this::completions));
    return new Part(
        "002",
        "Figures 6 to 10: response and completion times",
        List.of(
            "Groups of twenty tasks on 4.8 GB: the first is that of Table 2, the other two of the"
                + " paper are not public, and random tasks stand in: any priority, 191 to 3,621 MB."
                + " A task arrives every 10 seconds, runs as long as the model of Figure 3 says,"
                + " and those that run together share the device equally. The core's policies are"
                + " `rbdm` (FIFO for waiters), `rbdm-hpfw` and `rbdm-sm-hpfw`. "
                + RANDOM_GROUPS
                + " random groups show the spread."),
        List.of(Table.comparison("Sums over the tasks, in percent of those of FIFO", rows)),
        pictures,
        List.of(rows.get(0), rows.get(2), rows.get(3)));
  }

  private List<Row> rows() {
    Spread high = Spread.of(many.stream().map(Group::highPercentOfFifo).toList());
    Spread hpfw = Spread.of(many.stream().map(g -> g.completionPercentOfFifo(g.hpfw())).toList());
    Spread small =
        Spread.of(many.stream().map(g -> g.completionPercentOfFifo(g.smHpfw())).toList());
    double threeHpfw =
        three.stream().mapToDouble(g -> g.completionPercentOfFifo(g.hpfw())).average().orElse(0);
    double bestSmall =
        three.stream().mapToDouble(g -> g.completionPercentOfFifo(g.smHpfw())).min().orElse(0);
    return List.of(
        Row.ofPercent(
            "response of high priority, HPFW (%)",
            53.5,
            meanHighPercent(),
            1,
            "Of the three tests; which tasks come early decides, see the next row."),
        new Row(
            "the same, 100 random groups (%)",
            "53.5",
            Numbers.spread(high, 1),
            Numbers.signed(high.mean() - 53.5, 1),
            "From "
                + Numbers.plain(high.least(), 1)
                + " to "
                + Numbers.plain(high.most(), 1)
                + "."),
        Row.ofPercent(
            "completion of all, HPFW (%)",
            100,
            threeHpfw,
            1,
            "Of 100 random groups "
                + Numbers.spread(hpfw, 1)
                + ": priorities say nothing of size."),
        Row.ofPercent(
            "completion of all, SM-HPFW, best test (%)",
            80,
            bestSmall,
            1,
            "The paper says up to 20 % less; of 100 random groups "
                + Numbers.spread(small, 1)
                + "."));
  }

  private static BufferedImage responses(String title, List<Group> groups) {
    return new Bars(title, "priority", "hours, sum of the response times", NAMES)
        .series("FIFO", hours(groups, Group::fifo))
        .series("HPFW", hours(groups, Group::hpfw))
        .draw();
  }

  private static double[] hours(List<Group> groups, Function<Group, PhasedOutcome> of) {
    return PRIORITIES.stream()
        .mapToDouble(
            priority ->
                groups.stream()
                    .mapToDouble(group -> group.responseS(of.apply(group), priority) / 3600)
                    .average()
                    .orElse(0))
        .toArray();
  }

  private BufferedImage completions() {
    return new Bars(
            "Figure 10: sum of the completion times",
            "test",
            "hours",
            List.of("test 1", "test 2", "test 3"))
        .series("FIFO", three.stream().mapToDouble(g -> g.completionS(g.fifo()) / 3600).toArray())
        .series("HPFW", three.stream().mapToDouble(g -> g.completionS(g.hpfw()) / 3600).toArray())
        .series(
            "SM-HPFW", three.stream().mapToDouble(g -> g.completionS(g.smHpfw()) / 3600).toArray())
        .draw();
  }
}
