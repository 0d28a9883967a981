package org.schedgpu.bench;

import java.nio.file.Path;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.schedgpu.jna.RegionLayout;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;

/** Java operations on a region, each with its limit. */
@State(Scope.Thread)
public class RegionBenchmark {
  /** Names the run directory. */
  static final String NODE = "bench.node";

  /** Calls in one sample, because a single one is too short for the clock. */
  static final int CALLS = 100;

  private static final long TIMEOUT_NS = 5_000_000_000L;

  private SchedGpu region;
  private byte[] bytes;

  /** Opens the region. */
  @Setup
  public void open() {
    region = SchedGpu.open(Path.of(System.getProperty(NODE)));
    bytes = new byte[RegionLayout.ofLibrary().at("sizeof.region")];
  }

  /** Closes it. */
  @TearDown
  public void close() {
    region.close();
  }

  /** The work of `schedgpu status` and the agent: copy the region and make records of it. */
  @Benchmark
  public RegionSnapshot snapshot() {
    return region.snapshot();
  }

  /** Its limit: one copy of the same number of bytes. */
  @Benchmark
  public byte[] copyOfSnapshot() {
    return bytes.clone();
  }

  /** Calls of a function that does almost nothing, by JNA's direct mapping. */
  @Benchmark
  @OperationsPerInvocation(CALLS)
  public void call() {
    for (int i = 0; i < CALLS; i++) {
      region.setTimeoutNs(TIMEOUT_NS);
    }
  }

  /** Their limit: calls that the JVM itself makes into native code. */
  @Benchmark
  @OperationsPerInvocation(CALLS)
  public long nanoTime() {
    long sum = 0;
    for (int i = 0; i < CALLS; i++) {
      sum += System.nanoTime();
    }
    return sum;
  }
}
