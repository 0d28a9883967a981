package org.schedgpu.jna;

import java.util.List;
import java.util.OptionalLong;

/**
 * The region as the kernel and its files describe it (struct schedgpu_region_info).
 *
 * @param shmid number of the shared memory segment, as in ipcs(1)
 * @param mode 0666, or 0660 with RegionGroup, or 0600 with Mode=brokered
 * @param uid owner of the segment
 * @param gid its group
 * @param attached processes that have it mapped, this one included
 * @param createdNs on the monotonic clock
 * @param repairs how often damage was found and repaired
 * @param checkpointAgeNs empty: there is no checkpoint, or this user may not see it
 * @param livenessRight true if the liveness file exists and is the one that the region names
 * @param overcommitted devices on which more is in use than they can give, after a repair
 */
public record RegionInfo(
    int shmid,
    int mode,
    int uid,
    int gid,
    long attached,
    long createdNs,
    long repairs,
    OptionalLong checkpointAgeNs,
    boolean livenessRight,
    List<Integer> overcommitted) {

  /** The mode as ls(1) writes it, without the execute bits that segments do not have. */
  public String modeText() {
    StringBuilder text = new StringBuilder();
    for (int shift = 6; shift >= 0; shift -= 3) {
      text.append((mode >> shift & 4) != 0 ? 'r' : '-')
          .append((mode >> shift & 2) != 0 ? 'w' : '-');
    }
    return text.toString();
  }
}
