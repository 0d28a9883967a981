package org.schedgpu.jna;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A structure of texts and then numbers of 64 bits, with what it points to. */
final class CStruct {
  private final List<Memory> texts = new ArrayList<>(); // kept as long as the structure
  private final Memory memory;

  /**
   * Of its members.
   *
   * @param members NULL where one is null
   */
  CStruct(List<String> members, long... numbers) {
    long end = (long) members.size() * Native.POINTER_SIZE;
    memory = new Memory(end + (long) numbers.length * Long.BYTES);
    for (int i = 0; i < members.size(); i++) {
      memory.setPointer((long) i * Native.POINTER_SIZE, text(members.get(i)));
    }
    memory.write(end, numbers, 0, numbers.length);
  }

  private Pointer text(String text) {
    if (text == null) {
      return Pointer.NULL;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Memory copy = new Memory(bytes.length + 1L);
    copy.write(0, bytes, 0, bytes.length);
    copy.setByte(bytes.length, (byte) 0);
    texts.add(copy);
    return copy;
  }

  Memory memory() {
    return memory;
  }
}
