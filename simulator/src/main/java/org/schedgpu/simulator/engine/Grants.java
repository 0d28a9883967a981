package org.schedgpu.simulator.engine;

/** Is told what the rules of a node decide. */
interface Grants {
  /** A request of the part that waited was granted; the part may have more to ask for. */
  default void granted(Part part) {}

  /** The part waited, and has all its memory now. */
  void served(Part part);
}
