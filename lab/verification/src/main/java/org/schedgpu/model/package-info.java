/**
 * A second implementation of the rules of the core (docs/reference/rules.md and
 * docs/reference/lanes.md): plain collections, every sum computed again, no caches. It is written
 * from these pages alone, so that tests can compare it with the C code.
 *
 * <p>Sizes are bytes in whole units of 512, times are nanoseconds of the caller's clock. Not
 * thread-safe.
 */
package org.schedgpu.model;
