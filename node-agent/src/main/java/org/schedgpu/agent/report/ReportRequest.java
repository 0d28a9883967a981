package org.schedgpu.agent.report;

import java.util.Map;
import org.schedgpu.agent.query.Principal;

/**
 * A request for a report.
 *
 * @param node node of the GPUs
 * @param timeZone of the shown times
 * @param nowNs wall clock
 * @param device only this one; null: all
 * @param job only this one, {@code slurm:4711}; null: all
 * @param reader what the reader may see of other users
 * @param contextBytes of one CUDA context, by device
 */
public record ReportRequest(
    String node,
    String timeZone,
    long nowNs,
    Window window,
    Integer device,
    String job,
    Principal reader,
    Map<Integer, Long> contextBytes) {}
