package org.schedgpu.bench;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;
import org.schedgpu.jna.LibraryFinder;

/** Measures Java code with JMH. */
final class JavaMeasurements {
  private static final double P50 = 50;
  private static final double P99 = 99;

  private final Settings settings;

  JavaMeasurements(Settings settings) {
    this.settings = settings;
  }

  /**
   * Adds JMH's results.
   *
   * @throws BenchException if JMH fails
   */
  void run(Findings findings) {
    try (BusyNode node = new BusyNode(settings)) {
      Map<String, Statistics> found = byMethod(new Runner(options(node).build()).run());
      findings.add(
          measurement(
              "status-snapshot",
              "us",
              found.get("snapshot"),
              found.get("copyOfSnapshot"),
              "one copy of as many bytes in Java"));
      findings.add(
          measurement(
              "jna-call", "ns", found.get("call"), found.get("nanoTime"), "System.nanoTime()"));
    } catch (RunnerException e) {
      throw new BenchException("bench: JMH failed: " + e.getMessage(), e);
    }
  }

  /** Quick runs stay in this JVM, because JMH cannot pass on the class path of tests. */
  private ChainedOptionsBuilder options(BusyNode node) {
    String library = settings.library().toString();
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(RegionBenchmark.class.getName().replace(".", "\\.") + "\\..*")
            .mode(Mode.SampleTime)
            .timeUnit(TimeUnit.NANOSECONDS)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    if (settings.quick()) {
      System.setProperty(RegionBenchmark.NODE, node.folder().toString());
      System.setProperty(LibraryFinder.PROPERTY, library);
      return options
          .forks(0)
          .warmupIterations(0)
          .measurementIterations(1)
          .measurementTime(millis(20));
    }
    return options
        .forks(1)
        .warmupIterations(3)
        .warmupTime(millis(500))
        .measurementIterations(3)
        .measurementTime(millis(1000))
        .jvmArgsAppend(
            "-D" + RegionBenchmark.NODE + "=" + node.folder(),
            "-D" + LibraryFinder.PROPERTY + "=" + library);
  }

  private static TimeValue millis(long count) {
    return TimeValue.milliseconds(count);
  }

  private static Map<String, Statistics> byMethod(Collection<RunResult> results) {
    return results.stream()
        .collect(
            Collectors.toMap(
                result -> method(result.getParams().getBenchmark()),
                result -> result.getPrimaryResult().getStatistics()));
  }

  private static String method(String benchmark) {
    return benchmark.substring(benchmark.lastIndexOf('.') + 1);
  }

  private static Measurement measurement(
      String name, String unit, Statistics ours, Statistics limit, String limitIs) {
    double nsInUnit = unit.equals("us") ? 1000 : 1;
    return new Measurement(
        name,
        unit,
        ours.getPercentile(P50) / nsInUnit,
        ours.getPercentile(P99) / nsInUnit,
        limit.getPercentile(P50) / nsInUnit,
        limitIs);
  }
}
