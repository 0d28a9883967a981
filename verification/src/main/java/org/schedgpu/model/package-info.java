/**
 * The rules of the core (docs/reference/rules.md) a second time: plain collections, every sum
 * counted anew, no caches. It is written from that page alone, to be compared with the C code.
 *
 * <p>Sizes are bytes in whole units of 512, times nanoseconds of the caller's clock. Not
 * thread-safe.
 */
package org.schedgpu.model;
