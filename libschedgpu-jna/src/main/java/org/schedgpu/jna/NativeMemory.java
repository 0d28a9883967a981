package org.schedgpu.jna;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;

/**
 * Bytes outside Java's heap, freed when it is closed and not when the collector comes by. Used by
 * one thread at a time.
 */
public final class NativeMemory implements AutoCloseable {
  private final Memory memory;

  /**
   * Of unknown content.
   *
   * @param sizeBytes at least 1
   */
  public NativeMemory(long sizeBytes) {
    this.memory = new Memory(sizeBytes);
  }

  /** The same bytes in a place of another size, as many as fit there. This one is still there. */
  public NativeMemory resized(long sizeBytes) {
    NativeMemory other = new NativeMemory(sizeBytes);
    long same = Math.min(size(), sizeBytes);
    other.memory.getByteBuffer(0, same).put(memory.getByteBuffer(0, same));
    return other;
  }

  /** In bytes. */
  public long size() {
    return memory.size();
  }

  /** Writes {@code length} bytes of an array, from its beginning, to {@code offset}. */
  public void write(long offset, byte[] bytes, int length) {
    memory.write(offset, bytes, 0, length);
  }

  /** A copy of all of them in the heap. */
  public byte[] toArray() {
    return memory.getByteArray(0, Math.toIntExact(memory.size()));
  }

  /** All from {@code offset} on, for a call of C. */
  Pointer from(long offset) {
    return memory.share(offset, memory.size() - offset);
  }

  @Override
  public void close() {
    memory.close();
  }
}
