package org.schedgpu.jna;

import com.sun.jna.Native;
import com.sun.jna.Pointer;

/** A System V shared memory segment, for reading and damaging it from outside. */
final class RealSegment implements AutoCloseable {
  static {
    Native.register(RealSegment.class, "c");
  }

  private final Pointer memory;

  RealSegment(int shmid) {
    memory = shmat(shmid, null, 0);
    if (memory == null || Pointer.nativeValue(memory) == -1) {
      throw new IllegalStateException("no segment " + shmid);
    }
  }

  private static native Pointer shmat(int shmid, Pointer address, int flags);

  private static native int shmdt(Pointer address);

  int getInt(long offset) {
    return memory.getInt(offset);
  }

  void putInt(long offset, int value) {
    memory.setInt(offset, value);
  }

  @Override
  public void close() {
    shmdt(memory);
  }
}
