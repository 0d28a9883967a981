package org.schedgpu.agent.report;

/**
 * What the jobs of a name asked for on a device, compared with what they used.
 *
 * @param jobs number of ended jobs that used memory or had refused requests
 * @param requestedBytes the largest request
 * @param usedBytes the largest use, without one CUDA context
 * @param refusals refused allocations: then they need more than they used
 * @param largestRefusedBytes of the largest of these
 * @param suggestedBytes the suggested budget; null: the request is right, or nothing is known yet
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
