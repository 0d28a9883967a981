/**
 * Slurm's configuration files, read as Slurm 22.05 reads them, and changed without touching
 * anything else.
 *
 * <p>From below: {@link LogicalLine} and {@link PairScanner} know the syntax; {@link ConfFile} is
 * one file, byte for byte, changed through {@link ConfEdit}; {@link ConfTree} follows includes;
 * {@link SlurmConfig} and {@link GresConfig} say what the lines mean for nodes and partitions.
 * {@link PlugStack} is the other syntax, that of plugstack.conf.
 */
package org.schedgpu.gres.conf;
