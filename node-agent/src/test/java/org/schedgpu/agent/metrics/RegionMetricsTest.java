package org.schedgpu.agent.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.schedgpu.agent.Snapshots.GIB;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.jna.RegionInfo;
import org.schedgpu.jna.RegionSnapshot;

class RegionMetricsTest {
  private static final RegionInfo INFO =
      new RegionInfo(1, 0666, 0, 0, 1, 6, 3, OptionalLong.of(2_500_000_000L), true, List.of());

  private final Scrape busy = scrape(Snapshots.busy());

  private static Scrape scrape(RegionSnapshot snapshot) {
    Families to = new Families();
    RegionMetrics.add(to, snapshot, INFO, Snapshots.NOW);
    return Scrape.of(to.build());
  }

  private static double memory(Scrape scrape, String what) {
    return scrape.value("schedgpu_device_memory_" + what + "_bytes{device=\"0\"}");
  }

  @Test
  void memoryIsDividedAsTheRegionCountsIt() {
    assertEquals(16.0 * GIB, memory(busy, "size"));
    assertEquals(15.0 * GIB, memory(busy, "usable"));
    assertEquals(12.25 * GIB, memory(busy, "held"));
    assertEquals(0.75 * GIB, memory(busy, "context"));
    assertEquals(5.0 * GIB, memory(busy, "in_use"));
    assertEquals(2.75 * GIB, memory(busy, "free"));
    assertEquals(0, memory(busy, "overrun"));
    assertEquals(0, memory(busy, "foreign"));
    assertEquals(16.0 * GIB, busy.value("schedgpu_device_memory_free_bytes{device=\"1\"}"));
  }

  /**
   * Unreserved memory is counted apart from granted memory, and can reduce free memory to 0 at
   * most.
   */
  @Test
  void whatNobodyReservedIsNotHeld() {
    RegionSnapshot charged = Snapshots.charged();
    Scrape scrape = scrape(charged);
    double outside = memory(scrape, "overrun") + memory(scrape, "foreign");
    assertEquals(12.25 * GIB, memory(scrape, "held"));
    assertEquals((double) charged.devices().get(0).usedBytes(), memory(scrape, "held") + outside);
    assertEquals(Math.max(0, 15.0 * GIB - 12.25 * GIB - outside), memory(scrape, "free"));
  }

  @Test
  void aRequestForTwoDevicesWaitsForBoth() {
    assertEquals(3, busy.value("schedgpu_device_waiting_requests{device=\"0\"}"));
    assertEquals(1, busy.value("schedgpu_device_waiting_requests{device=\"1\"}"));
    assertEquals(7384, busy.value("schedgpu_device_oldest_wait_seconds{device=\"0\"}"));
    assertEquals(65, busy.value("schedgpu_device_oldest_wait_seconds{device=\"1\"}"));
  }

  @Test
  void lanesAreCountedByDevice() {
    Scrape lanes = scrape(Snapshots.withLanes());
    assertEquals(8.0 * GIB, memory(lanes, "lane"));
    assertEquals(1, lanes.value("schedgpu_device_lanes{device=\"0\"}"));
    assertEquals(1, lanes.value("schedgpu_device_waiting_turns{device=\"0\"}"));
    assertEquals(0, lanes.value("schedgpu_device_waiting_turns{device=\"1\"}"));
    assertEquals(0.5 * GIB, lanes.value("schedgpu_device_memory_lane_bytes{device=\"1\"}"));
    assertEquals(0, busy.value("schedgpu_device_lanes{device=\"0\"}"));
  }

  @Test
  void eachJobHasOneState() {
    assertEquals(3, busy.value("schedgpu_jobs{state=\"waiting\"}"));
    assertEquals(1, busy.value("schedgpu_jobs{state=\"holding\"}"));
    assertEquals(0, busy.value("schedgpu_jobs{state=\"idle\"}"));
    assertEquals(0, busy.value("schedgpu_jobs{state=\"ending\"}"));
  }

  @Test
  void tablesAreFilledToAPart() {
    assertEquals(4 / 512.0, busy.value("schedgpu_table_used_ratio{table=\"jobs\"}"));
    assertEquals(1 / 256.0, busy.value("schedgpu_table_used_ratio{table=\"own_jobs\"}"));
    assertEquals(4 / 1024.0, busy.value("schedgpu_table_used_ratio{table=\"processes\"}"));
    assertEquals(0, busy.value("schedgpu_table_used_ratio{table=\"lanes\"}"));
    Scrape lanes = scrape(Snapshots.withLanes());
    assertEquals(2 / 128.0, lanes.value("schedgpu_table_used_ratio{table=\"lanes\"}"));
  }

  @Test
  void theRegionsOwnCountsAreShown() {
    assertEquals(9, busy.value("schedgpu_grants_total"));
    assertEquals(10, busy.value("schedgpu_refused_allocations_total"));
    assertEquals(8, busy.value("schedgpu_reaped_clients_total"));
    assertEquals(7, busy.value("schedgpu_lock_recoveries_total"));
    assertEquals(3, busy.value("schedgpu_region_repairs_total"));
    assertEquals(2.5, busy.value("schedgpu_region_checkpoint_age_seconds"));
    assertEquals(4, busy.value("schedgpu_processes"));
  }

  /** Otherwise there would be a series for each job that ever ran. */
  @Test
  void noLabelNamesAJobOrAUser() {
    Set<String> labels =
        Pattern.compile("[{,]([a-z_]+)=")
            .matcher(scrape(Snapshots.charged()).text())
            .results()
            .map(found -> found.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(Set.of("device", "uuid", "name", "emulated", "state", "table"), labels);
  }
}
