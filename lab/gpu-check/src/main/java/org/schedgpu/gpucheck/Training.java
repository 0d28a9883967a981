package org.schedgpu.gpucheck;

import java.util.List;

/**
 * A training that needs a given amount of memory.
 *
 * @param name for people, of several
 * @param command its program
 * @param lines its commands
 * @param memoryLine see {@link ConcurrentRuns#run}
 * @param budgetBytes budget to declare, without contexts
 */
record Training(
    String name, List<String> command, List<String> lines, int memoryLine, long budgetBytes) {}
