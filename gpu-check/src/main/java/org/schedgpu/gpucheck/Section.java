package org.schedgpu.gpucheck;

/** A part of the suite. The order of the sections is that of their importance. */
interface Section {
  /** One word: for {@code --only}, tables and JSON. */
  String name();

  /** What it asks, for people. */
  String question();

  /** Its part of the whole time, relative to the others. */
  int share();

  /**
   * Does the checks and adds what they find.
   *
   * @throws CheckException if it cannot go on
   */
  void run(Check check) throws InterruptedException;
}
