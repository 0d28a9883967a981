package org.schedgpu.agent.sight;

import com.sun.jna.Memory;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.schedgpu.agent.problem.AgentException;

/**
 * The bytes of an answer while it is written: in blocks, which a young collection finds again. An
 * answer in one piece, or twice, would be more than all else that the agent has in its heap.
 */
final class Bytes extends OutputStream {
  private static final int BLOCK_SIZE = 64 << 10;

  private final int most;
  private final List<byte[]> blocks = new ArrayList<>();
  private int size;

  /**
   * Empty.
   *
   * @param most as many are taken; more are refused when they come
   */
  Bytes(int most) {
    this.most = most;
  }

  @Override
  public void write(int one) {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    if (size + length > most) {
      throw new AgentException("the answer has more than " + most + " bytes: ask for less at once");
    }
    for (int done = 0; done < length; ) {
      int at = size % BLOCK_SIZE;
      if (at == 0) {
        blocks.add(new byte[BLOCK_SIZE]);
      }
      int part = Math.min(length - done, BLOCK_SIZE - at);
      System.arraycopy(bytes, offset + done, blocks.get(blocks.size() - 1), at, part);
      done += part;
      size += part;
    }
  }

  /** All of them, which are at least one, outside the heap; to be closed. */
  Memory toMemory() {
    Memory memory = new Memory(size);
    for (int i = 0; i < blocks.size(); i++) {
      int from = i * BLOCK_SIZE;
      memory.write(from, blocks.get(i), 0, Math.min(BLOCK_SIZE, size - from));
    }
    return memory;
  }
}
