package org.schedgpu.agent.report;

import java.util.List;

/**
 * All that a report tells. What is not the reader's is in sums only.
 *
 * @param node whose GPUs these are
 * @param timeZone in which times are shown
 * @param madeNs when, wall clock
 * @param allJobs whether the reader sees the jobs of all users; if not, lanes, needs and names are
 *     of his own jobs alone
 * @param emulated whether a device is one of the emulator: then nothing here is of a GPU
 * @param needsLeftOut how many names more there are than shown
 * @param lanesLeftOut devices with too many jobs for a picture
 * @param job what was asked for; null: no single one
 */
public record ReportData(
    String node,
    String timeZone,
    long madeNs,
    Window window,
    boolean allJobs,
    boolean emulated,
    Headline headline,
    Comparison comparison,
    List<DeviceReport> devices,
    List<UserWaits> waits,
    List<NameNeed> needs,
    int needsLeftOut,
    List<Integer> lanesLeftOut,
    JobDetail job) {}
