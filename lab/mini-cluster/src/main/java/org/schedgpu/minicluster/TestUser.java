package org.schedgpu.minicluster;

/**
 * A user of this host that tests submit as.
 *
 * @param name login name
 * @param uid user id
 * @param gid id of the login group
 * @param created whether {@link #close} gives it back: not if it existed before, nor if this JVM
 *     has it already
 */
public record TestUser(String name, int uid, int gid, boolean created) implements AutoCloseable {
  /**
   * Removes the user if the tests made it and no other JVM uses it. Close the clusters that use it
   * first. Does not end processes that still run as the user.
   */
  @Override
  public void close() {
    if (created) {
      TestUsers.remove(name);
    }
  }
}
