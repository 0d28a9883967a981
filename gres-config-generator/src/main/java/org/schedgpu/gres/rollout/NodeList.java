package org.schedgpu.gres.rollout;

import java.util.List;
import java.util.stream.Collectors;

/** Node names for a message. */
final class NodeList {
  private static final int SHOWN = 8;

  private NodeList() {}

  /** The first ones, and how many more there are. */
  static String of(List<String> names) {
    String some = names.stream().limit(SHOWN).collect(Collectors.joining(" "));
    return names.size() > SHOWN ? some + " and " + (names.size() - SHOWN) + " more" : some;
  }
}
