package org.schedgpu.agent.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.NativeMemory;

class AnswerBufferTest {
  private static final int BLOCK = 64 << 10;

  private static byte[] numbered(int size) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) (i * 31 + i / BLOCK);
    }
    return bytes;
  }

  @Test
  void whatIsWrittenInPartsComesOutAsOne() {
    for (int size : List.of(1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 9 * BLOCK + 7)) {
      byte[] wanted = numbered(size);
      for (int part : List.of(1000, BLOCK, size)) {
        AnswerBuffer bytes = new AnswerBuffer(size);
        for (int from = 0; from < size; from += part) {
          bytes.write(wanted, from, Math.min(part, size - from));
        }
        try (NativeMemory all = bytes.toMemory()) {
          assertArrayEquals(wanted, all.toArray());
        }
      }
    }
  }

  @Test
  void moreThanTheMostIsRefusedAndTheRestStays() {
    byte[] wanted = numbered(2 * BLOCK);
    AnswerBuffer bytes = new AnswerBuffer(2 * BLOCK);
    bytes.write(wanted, 0, BLOCK);
    assertThrows(AgentException.class, () -> bytes.write(wanted, 0, BLOCK + 1));
    bytes.write(Arrays.copyOfRange(wanted, BLOCK, 2 * BLOCK), 0, BLOCK);
    assertThrows(AgentException.class, () -> bytes.write(0));
    try (NativeMemory all = bytes.toMemory()) {
      assertArrayEquals(wanted, all.toArray());
    }
  }
}
