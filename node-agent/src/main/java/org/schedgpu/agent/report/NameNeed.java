package org.schedgpu.agent.report;

/**
 * What the jobs of a name asked for on a device, beside what they had in use.
 *
 * @param jobs how many of them ended and were seen using memory, or were refused some
 * @param requestedBytes most that one asked for
 * @param usedBytes most that one had in use, one CUDA context left out
 * @param refusals allocations that they were refused: then they need more than they used
 * @param largestRefusedBytes of the largest of these
 * @param suggestedBytes what would do; null: as it is, or nobody can say yet
 * @param sparedByteHours requested beyond the suggestion, times how long it was held
 */
public record NameNeed(
    String name,
    String user,
    int jobs,
    long requestedBytes,
    long usedBytes,
    long refusals,
    long largestRefusedBytes,
    Long suggestedBytes,
    long sparedByteHours) {}
