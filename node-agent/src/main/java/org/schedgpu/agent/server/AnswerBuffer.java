package org.schedgpu.agent.server;

import java.io.OutputStream;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.NativeMemory;

/**
 * The bytes of an answer while it is written. All but the last block are outside the heap: a full
 * node's answer is a megabyte, more than everything else in the agent's heap. The caller discards
 * it unless it calls {@link #toMemory}; {@link #close} does nothing. Used by one thread at a time.
 */
public final class AnswerBuffer extends OutputStream {
  private static final int BLOCK_SIZE = 64 << 10;

  private final int most;
  private final byte[] block = new byte[BLOCK_SIZE];
  private int inBlock;

  /** The content before the block, or null; it has room for more. */
  private NativeMemory before;

  private int beforeSize;

  /**
   * An empty buffer.
   *
   * @param most limit in bytes; a write beyond it fails
   */
  public AnswerBuffer(int most) {
    this.most = most;
  }

  @Override
  public void write(int one) {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    if (length > most - beforeSize - inBlock) {
      throw new AgentException("the answer has more than " + most + " bytes: ask for less at once");
    }
    for (int done = 0; done < length; ) {
      if (inBlock == BLOCK_SIZE) {
        moveOut();
      }
      int part = Math.min(length - done, BLOCK_SIZE - inBlock);
      System.arraycopy(bytes, offset + done, block, inBlock, part);
      done += part;
      inBlock += part;
    }
  }

  private void moveOut() {
    int size = beforeSize + inBlock;
    if (before == null || before.size() < size) {
      resize(2 * size);
    }
    before.write(beforeSize, block, inBlock);
    beforeSize = size;
    inBlock = 0;
  }

  private void resize(int size) {
    NativeMemory smaller = before;
    before = smaller == null ? new NativeMemory(size) : smaller.resized(size);
    if (smaller != null) {
      smaller.close();
    }
  }

  /** All bytes, at least one, outside the heap; the caller closes them. */
  NativeMemory toMemory() {
    resize(beforeSize + inBlock);
    NativeMemory all = before;
    all.write(beforeSize, block, inBlock);
    before = null;
    return all;
  }

  /** Frees it. */
  public void discard() {
    if (before != null) {
      before.close();
      before = null;
    }
  }
}
