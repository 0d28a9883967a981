package org.schedgpu.agent.user;

import java.util.List;
import java.util.function.ToIntFunction;
import org.schedgpu.agent.user.SubordinateUsers.Range;
import org.schedgpu.jna.Broker;

/**
 * Finds the user whose share of the agent a user id uses: the user itself, or the owner of a
 * subordinate id. Only shares depend on it: what a user may see and do depends on the id itself.
 * Thread-safe.
 */
public final class ShareOwners {
  private static final ShareOwners OF_THIS_MACHINE = new ShareOwners(new SubordinateUsers());

  private final SubordinateUsers users;
  private int[] first = {};
  private int[] count = {};
  private int[] owner = {};

  ShareOwners(SubordinateUsers users) {
    this.users = users;
  }

  /** By {@code /etc/subuid}. */
  public static ShareOwners ofMachine() {
    return OF_THIS_MACHINE;
  }

  /** The owner for a user id, according to the present file. */
  public synchronized int of(int uid) {
    users.changed().ifPresent(this::take);
    return first.length == 0 ? uid : Broker.shareOwner(uid, first, count, owner);
  }

  private void take(List<Range> ranges) {
    first = column(ranges, Range::first);
    count = column(ranges, Range::count);
    owner = column(ranges, Range::owner);
  }

  private static int[] column(List<Range> ranges, ToIntFunction<Range> number) {
    return ranges.stream().mapToInt(number).toArray();
  }
}
