package org.schedgpu.agent.report;

import java.util.List;

/**
 * The content of a report. Other users' data appear only as sums.
 *
 * @param node node of the GPUs
 * @param timeZone of the shown times
 * @param madeNs time of the report, wall clock
 * @param allJobs true if the reader sees the jobs of all users; otherwise lanes, needs and names
 *     are only those of the reader
 * @param emulated true if a device belongs to the emulator: then no figure is from a GPU
 * @param needsLeftOut number of names that are not shown
 * @param turns of lane jobs, by name
 * @param turnsLeftOut number of names that are not shown there
 * @param lanesLeftOut devices with too many jobs for a picture
 * @param job the requested job; null: none
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
    List<NameTurns> turns,
    int turnsLeftOut,
    List<Integer> lanesLeftOut,
    JobDetail job) {}
