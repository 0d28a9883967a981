package org.schedgpu.simulator.shard;

import org.schedgpu.simulator.result.Summary;

/**
 * What one task of the array played.
 *
 * @param sweep which sweep it is of: {@link Shards#fingerprint}
 * @param task its number, from 1
 * @param exclusive one job per GPU, which every task plays
 * @param summary of its own configuration
 */
public record Shard(String sweep, int task, Summary exclusive, Summary summary) {}
