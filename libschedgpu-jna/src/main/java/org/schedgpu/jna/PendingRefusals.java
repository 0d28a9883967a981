package org.schedgpu.jna;

/**
 * Refused requests of each job that no transition has counted yet: the processes mark them, and the
 * next holder of the lock adds them to the job.
 */
final class PendingRefusals {
  private static final int ACTIVE = 1;
  private static final int COUNT_SHIFT = 32;
  private static final long LARGEST_UNITS = 0xffffffffL;

  private final Refusals[] byJob;

  PendingRefusals(RegionBytes region) {
    byJob = new Refusals[region.count("job")];
    java.util.Arrays.fill(byJob, Refusals.NONE);
    long most = mostBytes(region);
    for (int i : region.used("client")) {
      RegionBytes.Row client = region.record("client", i);
      long word = client.u64("refused");
      long count = word >>> COUNT_SHIFT;
      long job = client.u32("job");
      if (count > 0 && client.u32("state") == ACTIVE && job < byJob.length) {
        long bytes = Math.min(most, (word & LARGEST_UNITS) * region.unitBytes());
        byJob[(int) job] = byJob[(int) job].and(new Refusals(count, bytes));
      }
    }
  }

  /** No allocation is larger than a device. */
  private static long mostBytes(RegionBytes region) {
    long most = 0;
    for (int i = 0; i < region.count("device"); i++) {
      RegionBytes.Row device = region.record("device", i);
      most = device.u32("state") == ACTIVE ? Math.max(most, device.u64("total_bytes")) : most;
    }
    return most;
  }

  Refusals of(int job) {
    return byJob[job];
  }

  /** Of all jobs. */
  long count() {
    return java.util.Arrays.stream(byJob).mapToLong(Refusals::count).sum();
  }
}
