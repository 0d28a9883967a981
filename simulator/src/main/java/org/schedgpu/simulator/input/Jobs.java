package org.schedgpu.simulator.input;

import java.util.List;
import org.schedgpu.simulator.job.Job;

/**
 * What an input has.
 *
 * @param jobs in the order of their submission
 * @param read lines that were read
 * @param leftOut of them
 * @param memoryKnown jobs whose memory the input, or a history beside it, knows
 */
public record Jobs(List<Job> jobs, long read, LeftOut leftOut, long memoryKnown) {}
