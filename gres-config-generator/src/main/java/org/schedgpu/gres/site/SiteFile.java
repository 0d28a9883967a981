package org.schedgpu.gres.site;

/**
 * One of the site's files that a plan changes, or makes. Nobody changes the bytes.
 *
 * @param name from the folder of slurm.conf: {@code slurm.conf}, {@code nodes/gpu.conf}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record SiteFile(String name, byte[] after) {}
