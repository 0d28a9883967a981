package org.schedgpu.agent.report;

import java.util.Map;
import org.schedgpu.agent.query.Principal;

/**
 * What is to be reported to whom.
 *
 * @param node whose GPUs these are
 * @param timeZone in which times are shown
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
