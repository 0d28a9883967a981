package org.schedgpu.agent.text;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.schedgpu.jna.Posix;

/** Login names by number, each looked up once. Used by one thread. */
public final class UserNames implements IntFunction<String> {
  private final Map<Integer, String> names = new HashMap<>();

  /** The login name, or the number of a user without one. */
  @Override
  public String apply(int uid) {
    return names.computeIfAbsent(
        uid, number -> Posix.userName(number).orElse(Integer.toUnsignedString(number)));
  }
}
