/**
 * A throw-away <em>real</em> Slurm cluster on one host: munge, one slurmctld and several slurmds
 * with their own keys, ports and folders. Nothing of it remains afterwards.
 *
 * <p>The demo and the integration tests use it. It accepts Slurm's configuration as text, whatever
 * wrote that text. Start with {@link org.schedgpu.minicluster.MiniCluster#builder}.
 */
package org.schedgpu.minicluster;
