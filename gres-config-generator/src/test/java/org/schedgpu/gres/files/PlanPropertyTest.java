package org.schedgpu.gres.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.plan.Affinity;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.Order;

/**
 * Random plans: the three texts, parsed back, agree. Another seed: {@code
 * -Dschedgpu.test.seed=NUMBER}.
 */
class PlanPropertyTest {
  private static final int PLANS = 60;
  private static final Pattern GRES_LINE =
      Pattern.compile(
          "NodeName=(\\S+) Name=gpu Type=(\\S+) MultipleFiles=([^ ,]+),([^ ,]+)(?: Links=(\\S+))?");
  private static final Pattern DEVICE_LINE =
      Pattern.compile("NodeName=(\\S+) Device=\\d+ .*File=(\\S+) .*Virtual=(\\S+) Name=.*");

  @Test
  void threeTextsAgree() {
    long seed = Long.getLong("schedgpu.test.seed", System.nanoTime());
    System.out.println("PlanPropertyTest seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < PLANS; i++) {
      GresPlan plan = randomPlan(random);
      check(plan, "seed %d, plan %d: %s".formatted(seed, i, plan));
    }
  }

  private static GresPlan randomPlan(Random random) {
    List<NodePlan> nodes = new ArrayList<>();
    for (int node = 0; node <= random.nextInt(3); node++) {
      int devices = 1 + random.nextInt(16);
      int shares = 1 + random.nextInt(Math.min(40, 1024 / devices));
      List<Device> shuffled = new ArrayList<>(Fixtures.devices(16));
      Collections.shuffle(shuffled, random);
      nodes.add(
          new NodePlan(
              "n" + node,
              shuffled.subList(0, devices),
              shares,
              "t" + node,
              random.nextBoolean() ? Order.SPREAD : Order.PACK,
              random.nextBoolean()));
    }
    return new GresPlan(nodes);
  }

  private static void check(GresPlan plan, String hint) {
    GresFiles files = GresConfigGenerator.generate(plan);
    assertEquals(files, GresConfigGenerator.generate(plan), hint);
    Map<String, List<String>> fileByIndex = filesOfGresConf(files.gresConf());
    assertEquals(fileByIndex, filesOfDevicesConf(files.devicesConf()), hint);
    for (NodePlan node : plan.nodes()) {
      int count = fileByIndex.get(node.nodeName()).size();
      assertEquals(node.virtualGpuCount(), count, hint);
      String line =
          "NodeName=%s Gres=gpu:%s:%d"
              .formatted(node.nodeName(), node.groups().get(0).gresType(), count);
      assertEquals(1, files.slurmConf().lines().filter(line::equals).count(), hint);
      checkLinks(node, files.gresConf(), fileByIndex.get(node.nodeName()), hint);
    }
  }

  private static Map<String, List<String>> filesOfGresConf(String text) {
    Map<String, List<String>> files = new LinkedHashMap<>();
    for (Matcher line : matches(GRES_LINE, text)) {
      files.computeIfAbsent(line.group(1), node -> new ArrayList<>()).add(line.group(3));
      assertEquals("/dev/nvidiactl", line.group(4));
    }
    return files;
  }

  /** The same map from Virtual=; a missing or repeated index makes it differ. */
  private static Map<String, List<String>> filesOfDevicesConf(String text) {
    Map<String, List<String>> files = new LinkedHashMap<>();
    for (Matcher line : matches(DEVICE_LINE, text)) {
      List<String> ofNode = files.computeIfAbsent(line.group(1), node -> new ArrayList<>());
      expand(line.group(3)).forEach(index -> put(ofNode, index, line.group(2)));
    }
    return files;
  }

  private static void put(List<String> list, int index, String file) {
    while (list.size() <= index) {
      list.add(null);
    }
    assertEquals(null, list.set(index, file), "index " + index + " is on two devices");
  }

  private static List<Integer> expand(String indexes) {
    List<Integer> all = new ArrayList<>();
    for (String part : indexes.split(",", -1)) {
      int dash = part.indexOf('-');
      int first = Integer.parseInt(dash < 0 ? part : part.substring(0, dash));
      int last = Integer.parseInt(part.substring(dash + 1));
      IntStream.rangeClosed(first, last).forEach(all::add);
    }
    return all;
  }

  private static void checkLinks(
      NodePlan node, String text, List<String> fileByIndex, String hint) {
    int index = 0;
    for (Matcher line : matches(GRES_LINE, text)) {
      if (!line.group(1).equals(node.nodeName())) {
        continue;
      }
      int self = index++;
      List<String> expected =
          IntStream.range(0, fileByIndex.size())
              .mapToObj(other -> expectedLink(fileByIndex, self, other))
              .toList();
      assertEquals(
          node.affinity() == Affinity.LINKS ? String.join(",", expected) : null,
          line.group(5),
          hint);
    }
  }

  private static String expectedLink(List<String> fileByIndex, int self, int other) {
    if (self == other) {
      return "-1";
    }
    return fileByIndex.get(self).equals(fileByIndex.get(other)) ? "0" : "1";
  }

  /** Every line other than a comment must have this form. */
  private static List<Matcher> matches(Pattern form, String text) {
    List<Matcher> matches = new ArrayList<>();
    for (String line : text.lines().filter(l -> !l.startsWith("#")).toList()) {
      Matcher matcher = form.matcher(line);
      assertEquals(true, matcher.matches(), line);
      matches.add(matcher);
    }
    return matches;
  }
}
