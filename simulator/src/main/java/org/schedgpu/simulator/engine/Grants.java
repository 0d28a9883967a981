package org.schedgpu.simulator.engine;

/** Receives the decisions of a node's rules. */
interface Grants {
  /** A request of a waiting part was granted; the part may have more requests. */
  default void granted(Part part) {}

  /** A waiting part now has all its memory. */
  void served(Part part);
}
