package org.schedgpu.jna;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;

/**
 * Bytes outside Java's heap. They are freed by close, not by the garbage collector. Used by one
 * thread at a time.
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

  /**
   * Copies the bytes to a new place of another size, as far as they fit. The old place stays valid.
   */
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

  /** Writes the first {@code length} bytes of an array to {@code offset}. */
  public void write(long offset, byte[] bytes, int length) {
    memory.write(offset, bytes, 0, length);
  }

  /** A copy of all bytes in the heap. */
  public byte[] toArray() {
    return memory.getByteArray(0, Math.toIntExact(memory.size()));
  }

  /** The bytes from {@code offset} on, as an argument of a C call. */
  Pointer from(long offset) {
    return memory.share(offset, memory.size() - offset);
  }

  @Override
  public void close() {
    memory.close();
  }
}
