package org.schedgpu.gres.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.schedgpu.gres.Fixtures.assertRefused;
import static org.schedgpu.gres.Fixtures.facts;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.facts.NodeFacts;

class ShareRuleTest {
  private static NodeFacts withUsable(long... usableBytes) {
    List<Device> devices =
        IntStream.range(0, usableBytes.length)
            .mapToObj(
                i -> new Device(i, "GPU-" + i, "/dev/nvidia" + i, usableBytes[i] + 30, 10, 20, "x"))
            .toList();
    return new NodeFacts("gpu1", 4, devices);
  }

  @Test
  void perGpuIsTheSameEverywhere() {
    assertEquals(12, ShareRule.perGpu(12).sharesOf(facts(null, 2)));
    assertRefused(
        "schedgpu gres: node gpu1, shares per device is 257: a device has 1 to 256 shares; choose"
            + " with --per-gpu",
        () -> ShareRule.perGpu(257).sharesOf(facts(null, 2)));
    assertRefused(
        "schedgpu gres: node gpu1, shares per device is 0: a device has 1 to 256 shares; choose"
            + " with --per-gpu",
        () -> ShareRule.perGpu(0).sharesOf(facts(null, 2)));
  }

  @Test
  void perCpuIsTheNumberOfCpusOnEachDevice() {
    assertEquals(16, ShareRule.perCpu().sharesOf(facts(16, 2)));
    assertRefused(
        "schedgpu gres: node gpu1 has no number of cpus in its facts: add \"cpus\" to them"
            + " (--cpus), give the output of slurmd -C with --slurmd-c, or use --per-gpu:"
            + " --per-cpu is m devices x n CPUs",
        () -> ShareRule.perCpu().sharesOf(facts(null, 2)));
    assertRefused(
        "schedgpu gres: node gpu1, shares per device from its cpus is 384: a device has 1 to 256"
            + " shares; choose with --per-gpu",
        () -> ShareRule.perCpu().sharesOf(facts(384, 2)));
  }

  @ParameterizedTest
  @CsvSource({
    "12884901888, 6G, 2",
    "12884901887, 6G, 1",
    "12884901889, 6G, 2",
    "6442450944, 6G, 1",
    "1000, 40%, 2",
    "1000, 100%, 1",
    "1000, 33%, 3",
  })
  void sharesThatFitAreRoundedDown(long usableBytes, String size, int shares) {
    assertEquals(shares, ShareRule.ofMemory(size).sharesOf(withUsable(usableBytes)));
  }

  @Test
  void smallestDeviceDecides() {
    assertEquals(3, ShareRule.ofMemory("1M").sharesOf(withUsable(9 << 20, 3 << 20, 5 << 20)));
  }

  @Test
  void shareFitsTheDevice() {
    assertRefused(
        "schedgpu gres: node gpu1, a share of '1025M' does not fit into the 1.0 GiB that a job can"
            + " get on its device: use a size from 1M to that",
        () -> ShareRule.ofMemory("1025M").sharesOf(withUsable(1 << 30)));
    assertRefused(
        "schedgpu gres: node gpu1, a share of '6G' does not fit into the 1.0 GiB that a job can get"
            + " on its device: use a size from 1M to that",
        () -> ShareRule.ofMemory("6G").sharesOf(withUsable(1 << 30)));
    assertRefused(
        "schedgpu gres: node gpu1, a share of '0' does not fit into the 1.0 GiB that a job can get"
            + " on its device: use a size from 1M to that",
        () -> ShareRule.ofMemory("0").sharesOf(withUsable(1 << 30)));
  }

  @Test
  void smallSharesAreNotMoreThan256() {
    assertEquals(256, ShareRule.ofMemory("1M").sharesOf(withUsable(256L << 20)));
    assertRefused(
        "schedgpu gres: node gpu1, shares of 1M is 257: a device has 1 to 256 shares; choose with"
            + " --share",
        () -> ShareRule.ofMemory("1M").sharesOf(withUsable(257L << 20)));
  }
}
