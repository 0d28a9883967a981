package org.schedgpu.agent.overrun;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Reads from an ELF executable (64 bit, little endian) whether a library can be preloaded into it.
 */
final class ElfFile {
  private static final int MAGIC = 0x464c457f; // "\177ELF"
  private static final int HEADER_SIZE = 64;
  private static final int PROGRAM_HEADERS_OFFSET = 32;
  private static final int PROGRAM_HEADER_SIZE = 54;
  private static final int PROGRAM_HEADER_COUNT = 56;
  private static final int PT_INTERP = 3;
  private static final int MAX_PROGRAM_HEADERS = 4096;

  private ElfFile() {}

  /** True if it starts without a dynamic linker: then nothing can be preloaded. */
  static boolean isStatic(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      ByteBuffer header = read(channel, 0, HEADER_SIZE);
      if (header.remaining() < HEADER_SIZE || header.getInt(0) != MAGIC) {
        return false;
      }
      long at = header.getLong(PROGRAM_HEADERS_OFFSET);
      int size = Short.toUnsignedInt(header.getShort(PROGRAM_HEADER_SIZE));
      int count = Short.toUnsignedInt(header.getShort(PROGRAM_HEADER_COUNT));
      for (int i = 0; i < Math.min(count, MAX_PROGRAM_HEADERS); i++) {
        ByteBuffer type = read(channel, at + (long) i * size, Integer.BYTES);
        if (type.remaining() < Integer.BYTES || type.getInt(0) == PT_INTERP) {
          return false;
        }
      }
      return true;
    }
  }

  private static ByteBuffer read(FileChannel channel, long at, int size) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    channel.read(bytes, Math.max(0, at));
    return bytes.flip();
  }
}
