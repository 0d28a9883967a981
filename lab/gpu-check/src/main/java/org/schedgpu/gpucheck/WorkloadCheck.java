package org.schedgpu.gpucheck;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.schedgpu.gpucheck.Region.Wish;

/**
 * The paper's workload (section 7.3.2) with real kernels and real memory: four instances each of
 * three programs whose sizes are scaled to the device, in six configurations. Instead of Slurm, the
 * check calls the hooks, and all jobs start at once.
 */
final class WorkloadCheck implements Section {
  private static final List<String> PROGRAMS = List.of("ara", "mummergpu", "gpu-blast");
  private static final String PRIORITISED = "mummergpu";
  private static final int INSTANCES = 4;
  private static final int OUT_OF_MEMORY = 2;

  /** The approximate sum of the six configurations' times on the paper's test-bed, in seconds. */
  private static final double ALL_SECONDS = 2485 + 5 * 480;

  private static final double LEAST_SCALE = 20;
  private static final double MAX_SCALE = 400;
  private static final Duration STARTS = Duration.ofSeconds(15);

  /** How the jobs share the device. */
  private enum Way {
    EXCLUSIVE("one job after the other", ""),
    UNSAFE("all at once, unsafe", ""),
    FIFO("schedGPU FIFO", "fifo"),
    MMU("schedGPU MMU", "mmu"),
    PRIORITY_FIFO("schedGPU Priority FIFO", "priority-fifo"),
    PRIORITY_MMU("schedGPU Priority MMU", "priority-mmu");

    private final String title;
    private final String policy;

    Way(String title, String policy) {
      this.title = title;
      this.policy = policy;
    }

    boolean isScheduled() {
      return !policy.isEmpty();
    }

    boolean hasPriorities() {
      return this == PRIORITY_FIFO || this == PRIORITY_MMU;
    }
  }

  /**
   * The result of a configuration.
   *
   * @param seconds on the scale of the paper's test-bed
   */
  record Total(String title, double seconds, int done, int outOfMemory) {}

  private final List<Total> totals = new ArrayList<>();
  private Check check;
  private Kernels kernels;
  private double scale;

  @Override
  public String name() {
    return "workload";
  }

  @Override
  public String question() {
    return "What does the paper's workload gain?";
  }

  /** For the picture. */
  List<Total> totals() {
    return totals;
  }

  @Override
  public void run(Check given) throws InterruptedException {
    check = given;
    kernels = Kernels.measure(check);
    double left = check.deadline().left().minus(STARTS).toMillis() / 1e3;
    if (left < ALL_SECONDS / MAX_SCALE) {
      check.findings().notDone("the paper's workload", "no time left");
      return;
    }
    scale =
        check.brief() || check.mode() == Mode.SECOND
            ? MAX_SCALE
            : Math.max(LEAST_SCALE, ALL_SECONDS / left);
    for (Way way : Way.values()) {
      Total total = run(way);
      totals.add(total);
      show(way, total);
    }
  }

  private void show(Way way, Total total) {
    int jobs = PROGRAMS.size() * INSTANCES;
    double speedUp = totals.get(0).seconds() / total.seconds();
    String text =
        "%d of %d jobs, %.1f s, %.2f times as fast (scale %.0f)"
            .formatted(total.done(), jobs, total.seconds(), speedUp, scale);
    Map<String, Object> figures =
        Map.of(
            "done", total.done(),
            "outOfMemory", total.outOfMemory(),
            "totalSeconds", total.seconds(),
            "speedUp", speedUp,
            "scale", scale);
    if (way.isScheduled()) {
      check.findings().judged(way.title, total.done() == jobs, text, figures);
    } else {
      check.findings().measured(way.title, text, figures);
    }
  }

  private Total run(Way way) throws InterruptedException {
    if (!way.isScheduled()) {
      return run(way, null);
    }
    try (Region region = check.region(way.policy)) {
      return run(way, region);
    }
  }

  private Total run(Way way, Region region) throws InterruptedException {
    ExecutorService starters =
        Executors.newFixedThreadPool(way == Way.EXCLUSIVE ? 1 : PROGRAMS.size() * INSTANCES);
    long beginNs = System.nanoTime();
    try {
      List<Future<Integer>> ends = new ArrayList<>();
      for (int i = 0; i < INSTANCES; i++) {
        for (String program : PROGRAMS) {
          Map<String, String> environment = environment(way, region, program);
          ends.add(starters.submit(() -> exitCode(program, environment)));
        }
      }
      Map<Integer, Integer> counts = new LinkedHashMap<>();
      for (Future<Integer> end : ends) {
        counts.merge(end.get(), 1, Integer::sum);
      }
      return new Total(
          way.title,
          (System.nanoTime() - beginNs) / 1e9 * scale,
          counts.getOrDefault(0, 0),
          counts.getOrDefault(OUT_OF_MEMORY, 0));
    } catch (ExecutionException e) {
      throw new CheckException(way.title, e.getCause());
    } finally {
      starters.shutdownNow();
    }
  }

  private Map<String, String> environment(Way way, Region region, String program)
      throws InterruptedException {
    Map<String, String> environment = check.machine().environment();
    if (region != null) {
      Wish wish = Wish.budget(allocationBytes(program) + 4 * Check.MIB);
      boolean high = way.hasPriorities() && program.equals(PRIORITISED);
      environment = region.environmentOf(region.begin(high ? wish.with("PRIORITY", "high") : wish));
    }
    environment.putAll(sizes());
    return environment;
  }

  /** The sizes of the programs for the device. */
  private Map<String, String> sizes() {
    Map<String, String> sizes = new HashMap<>(kernels.environment());
    sizes.put("DEMO_SCALE", Double.toString(scale));
    sizes.put("DEMO_DEVICE_MIB", Long.toString(check.machine().totalBytes() / Check.MIB));
    sizes.put("DEMO_CONTEXT_MIB", Long.toString(check.machine().contextBytes() / Check.MIB));
    return sizes;
  }

  private long allocationBytes(String program) throws InterruptedException {
    Map<String, String> environment = check.machine().environment();
    environment.putAll(sizes());
    String path = check.bundle().program(program).toString();
    String text = Command.run(List.of(path, "--describe"), environment, check.deadline()).output();
    try {
      JsonNode facts = new ObjectMapper().readTree(text);
      return facts.path("allocationMiB").asLong() * Check.MIB;
    } catch (JsonProcessingException e) {
      throw new CheckException(program + " does not describe itself", e);
    }
  }

  private int exitCode(String program, Map<String, String> environment)
      throws InterruptedException {
    String path = check.bundle().program(program).toString();
    return Command.run(List.of(path), environment, check.deadline()).exitCode();
  }
}
