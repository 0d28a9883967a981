/**
 * A throw-away <em>real</em> Slurm cluster on one host: munge, one slurmctld and several slurmds
 * with their own keys, ports and folders, which leaves nothing behind.
 *
 * <p>The demo and the integration tests use it. It takes Slurm's configuration as text and knows
 * nothing about who writes that text. Start with {@link
 * org.schedgpu.minicluster.MiniCluster#builder}.
 */
package org.schedgpu.minicluster;
