package org.schedgpu.gpucheck;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;

/** The functions that a shared library of 64 bits exports (ELF, section {@code .dynsym}). */
final class ExportedNames {
  private static final int MAGIC = 0x464c457f;
  private static final int SECTIONS_AT = 40;
  private static final int SECTION_SIZE_AT = 58;
  private static final int SECTION_COUNT_AT = 60;
  private static final int DYNAMIC_SYMBOLS = 11;
  private static final int SYMBOL_BYTES = 24;
  private static final int FUNCTION = 2;

  private ExportedNames() {}

  /**
   * Reads the names.
   *
   * @throws CheckException if the file is not such a library
   */
  static SortedSet<String> of(Path library) {
    try {
      return of(ByteBuffer.wrap(Files.readAllBytes(library)).order(ByteOrder.LITTLE_ENDIAN));
    } catch (IOException e) {
      throw new CheckException("cannot read " + library, e);
    } catch (IndexOutOfBoundsException | BufferUnderflowException e) {
      throw new CheckException(library + ": is not a whole ELF library of 64 bits");
    }
  }

  private static SortedSet<String> of(ByteBuffer file) {
    SortedSet<String> names = new TreeSet<>();
    if (file.getInt(0) != MAGIC) {
      throw new IndexOutOfBoundsException();
    }
    int table = Math.toIntExact(file.getLong(SECTIONS_AT));
    int size = file.getShort(SECTION_SIZE_AT);
    int count = file.getShort(SECTION_COUNT_AT);
    for (int i = 0; i < count; i++) {
      int section = table + i * size;
      if (file.getInt(section + 4) == DYNAMIC_SYMBOLS) {
        int texts = table + file.getInt(section + 40) * size;
        addSymbols(file, offset(file, section), length(file, section), offset(file, texts), names);
      }
    }
    return names;
  }

  private static int offset(ByteBuffer file, int section) {
    return Math.toIntExact(file.getLong(section + 24));
  }

  private static int length(ByteBuffer file, int section) {
    return Math.toIntExact(file.getLong(section + 32));
  }

  private static void addSymbols(
      ByteBuffer file, int symbols, int bytes, int texts, SortedSet<String> names) {
    for (int at = symbols; at < symbols + bytes; at += SYMBOL_BYTES) {
      boolean isFunction = (file.get(at + 4) & 0xf) == FUNCTION;
      boolean isDefined = file.getShort(at + 6) != 0;
      if (isFunction && isDefined) {
        names.add(text(file, texts + file.getInt(at)));
      }
    }
  }

  private static String text(ByteBuffer file, int at) {
    StringBuilder name = new StringBuilder();
    for (int i = at; file.get(i) != 0; i++) {
      name.append((char) file.get(i));
    }
    return name.toString();
  }
}
