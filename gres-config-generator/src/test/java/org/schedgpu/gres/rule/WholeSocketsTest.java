package org.schedgpu.gres.rule;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.schedgpu.gres.Fixtures.assertRefused;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.plan.Affinity;
import org.schedgpu.gres.plan.DeviceGroup;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.Order;

/** Slurm 24.11 and 26.05 make a node INVAL whose Cores= end within a socket. */
class WholeSocketsTest {
  private static final SlurmVersion NEW = SlurmVersion.parse("24.11.5");

  private static void require(SlurmVersion version, String one, String two, OptionalInt cores) {
    NodePlan node =
        new NodePlan(
            "gpu1",
            List.of(new DeviceGroup("a100", Fixtures.devices(2), 2, Order.SPREAD)),
            Affinity.CORES,
            Map.of(0, one, 1, two),
            Optional.empty(),
            false);
    WholeSockets.require(version, List.of(node), name -> cores, name -> OptionalInt.of(16));
  }

  @Test
  void wholeSocketsAreTaken() {
    assertDoesNotThrow(() -> require(NEW, "0-3", "4-7", OptionalInt.of(4)));
    assertDoesNotThrow(() -> require(NEW, "0-7", "0-3,4-7", OptionalInt.of(4)));
  }

  /** Seen with four sockets of four cores: 25.05 idle, 25.11 INVAL. */
  @Test
  void from2511OnOneSocketOrAllCores() {
    SlurmVersion latest = SlurmVersion.parse("25.11.7");
    OptionalInt four = OptionalInt.of(4);
    assertDoesNotThrow(() -> require(SlurmVersion.parse("25.05"), "0-7", "8-15", four));
    assertDoesNotThrow(() -> require(latest, "0-3", "12-15", four));
    assertDoesNotThrow(() -> require(latest, "0-15", "0-15", four));
    assertRefused(
        "schedgpu gres: node gpu1: Slurm 25.11 takes Cores= of one socket or all cores only, and"
            + " Cores=0-7 is 2 sockets, neither one nor all: give each device one socket in"
            + " \"cores\" of the facts, or use --affinity links",
        () -> require(latest, "0-7", "0-7", four));
  }

  @Test
  void partOfASocketIsRefused() {
    assertRefused(
        "schedgpu gres: node gpu1: Slurm 24.11 takes Cores= of whole sockets only, and Cores=4-6 is"
            + " part of socket 1 (cores 4-7): correct \"cores\" of the facts or CoresPerSocket= of"
            + " slurm.conf, or use --affinity links",
        () -> require(NEW, "0-3", "4-6", OptionalInt.of(4)));
  }

  @Test
  void withoutSocketsInSlurmConfNothingIsKnown() {
    assertRefused(
        "schedgpu gres: node gpu1: Slurm 24.11 takes Cores= of whole sockets only, and its"
            + " CoresPerSocket= is not known: give --slurm-conf with it, or use --affinity links",
        () -> require(NEW, "0-3", "4-7", OptionalInt.empty()));
  }

  @Test
  void olderReleasesTakeAnything() {
    assertDoesNotThrow(
        () -> require(SlurmVersion.parse("24.05"), "0-2", "3-4", OptionalInt.empty()));
  }
}
