package org.schedgpu.gres.site;

/**
 * A file of the site that a plan changes, or makes. Do not change the bytes.
 *
 * @param name relative to the folder of slurm.conf: {@code slurm.conf}, {@code nodes/gpu.conf}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record SiteFile(String name, byte[] after) {}
