package org.schedgpu.model;

/** Model and core differ, or both do something that the rules forbid. */
final class Difference extends AssertionError {
  private static final long serialVersionUID = 1;

  Difference(String what) {
    super(what);
  }
}
