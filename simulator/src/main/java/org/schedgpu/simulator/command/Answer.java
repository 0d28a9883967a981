package org.schedgpu.simulator.command;

import java.util.List;
import java.util.Map;
import org.schedgpu.simulator.input.LeftOut;
import org.schedgpu.simulator.result.Recommendation;
import org.schedgpu.simulator.result.Summary;

/**
 * All that is told.
 *
 * @param jobs that were played
 * @param nodes of the cluster
 * @param gpus of the cluster
 * @param read lines of the input
 * @param leftOut of them, by reason
 * @param assumptions what the input does not know
 * @param summaries one job per GPU first
 */
record Answer(
    int jobs,
    int nodes,
    int gpus,
    long read,
    Map<String, LeftOut.Reason> leftOut,
    List<String> assumptions,
    List<Summary> summaries,
    Recommendation recommendation) {}
