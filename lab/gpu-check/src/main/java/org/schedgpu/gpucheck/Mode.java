package org.schedgpu.gpucheck;

/** How much a section does. */
enum Mode {
  /** Everything. */
  ALL,
  /** The first minutes on a GPU that nobody has tried: what is decided first. */
  FIRST,
  /** What the first minutes left out. */
  SECOND
}
