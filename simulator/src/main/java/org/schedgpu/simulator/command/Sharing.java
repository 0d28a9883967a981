package org.schedgpu.simulator.command;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.schedgpu.gres.common.Sizes;
import org.schedgpu.jna.Policy;
import org.schedgpu.simulator.engine.Scenario;
import org.schedgpu.simulator.problem.SimulatorException;
import picocli.CommandLine.Option;

/** The options for the configurations to compare with one job per GPU. */
final class Sharing {
  private static final int MAX_SHARES = 32;
  private static final int MAX_OVERBOOKING = 10;
  private static final long LEAST_UNIT = 1L << 20;
  private static final Pattern RANGE = Pattern.compile("([0-9]{1,3})(?:\\.\\.([0-9]{1,3}))?");

  @Option(
      names = "--per-gpu",
      paramLabel = "N",
      split = ",",
      description = "Shares of each GPU: numbers or ranges (2,4 or 1..16). Default: 2,4,8.")
  private List<String> perGpu = List.of("2", "4", "8");

  @Option(
      names = "--overbook",
      paramLabel = "FACTOR",
      split = ",",
      description =
          "Shares by memory, too: a GPU gets jobs until they ask for FACTOR times its memory"
              + " (1 or 1,1.5,2). Default: none.")
  private List<String> overbook = List.of();

  @Option(
      names = "--unit",
      paramLabel = "SIZE",
      description = "Memory of one of Slurm's shards, for --overbook. Default: 1G.")
  private String unit = "1G";

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      split = ",",
      description =
          "Which job on a node gets its memory first: all policies of schedgpu policy, or all."
              + " Default: fifo.")
  private List<String> policies = List.of(Policy.FIFO.text());

  /** In the order of shares, overbooking and policies. */
  List<Scenario> scenarios() {
    List<Policy> chosen = chosen();
    List<Scenario> scenarios = new ArrayList<>();
    for (int shares : shares()) {
      chosen.forEach(policy -> scenarios.add(Scenario.shares(shares, policy)));
    }
    long unitBytes = unitBytes();
    for (String factor : overbook) {
      int percent = percent(factor);
      chosen.forEach(policy -> scenarios.add(Scenario.memory(percent, unitBytes, policy)));
    }
    return scenarios.stream().distinct().toList();
  }

  private long unitBytes() {
    long bytes = Sizes.parseBytes(unit);
    if (bytes < LEAST_UNIT) {
      throw new SimulatorException(
          "--unit " + unit + " is less than 1M", "give a size from 1M on, such as 1G");
    }
    return bytes;
  }

  private List<Integer> shares() {
    List<Integer> shares = new ArrayList<>();
    for (String word : perGpu) {
      Matcher range = RANGE.matcher(word);
      int first = range.matches() ? Integer.parseInt(range.group(1)) : 0;
      int last = first == 0 || range.group(2) == null ? first : Integer.parseInt(range.group(2));
      if (first < 1 || last < first || last > MAX_SHARES) {
        throw new SimulatorException(
            "--per-gpu " + word + " is not 1 to " + MAX_SHARES, "give numbers or ranges: 2,4..8");
      }
      for (int n = first; n <= last; n++) {
        shares.add(n);
      }
    }
    return shares;
  }

  private static int percent(String factor) {
    boolean number = factor.matches("[0-9]{1,2}(\\.[0-9]{1,2})?");
    double value = number ? Double.parseDouble(factor) : 0;
    if (value < 1 || value > MAX_OVERBOOKING) {
      throw new SimulatorException(
          "--overbook " + factor + " is not 1 to " + MAX_OVERBOOKING, "give factors: 1,1.5,2");
    }
    return (int) Math.round(100 * value);
  }

  private static Stream<Policy> policies(String word) {
    if (word.equals("all")) {
      return Arrays.stream(Policy.values());
    }
    return Stream.of(
        Policy.of(word)
            .orElseThrow(
                () ->
                    new SimulatorException(
                        "--policy " + word + " is no policy",
                        "give some of " + names() + ", or all")));
  }

  private static String names() {
    return Arrays.stream(Policy.values()).map(Policy::text).collect(Collectors.joining(","));
  }

  /** True if one of the policies uses priorities on a node. */
  boolean looksAtPriorities() {
    return chosen().stream().anyMatch(policy -> policy != Policy.FIFO && policy != Policy.MMU);
  }

  private List<Policy> chosen() {
    return policies.stream().flatMap(Sharing::policies).distinct().toList();
  }
}
