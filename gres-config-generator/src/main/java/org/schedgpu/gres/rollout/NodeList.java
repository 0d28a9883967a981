package org.schedgpu.gres.rollout;

import java.util.List;
import java.util.stream.Collectors;

/** Formats node names for a message. */
final class NodeList {
  private static final int SHOWN = 8;

  private NodeList() {}

  /** The first names, and the number of the others. */
  static String of(List<String> names) {
    String some = names.stream().limit(SHOWN).collect(Collectors.joining(" "));
    return names.size() > SHOWN ? some + " and " + (names.size() - SHOWN) + " more" : some;
  }
}
