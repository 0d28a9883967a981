package org.schedgpu.gres.site;

import java.util.Optional;

/**
 * One of the site's files that a plan changes. Nobody changes the bytes.
 *
 * @param name from the folder of slurm.conf: {@code slurm.conf}, {@code nodes/gpu.conf}
 * @param before empty: there is none yet
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record SiteFile(String name, Optional<byte[]> before, byte[] after) {}
