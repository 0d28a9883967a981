package org.schedgpu.agent.slurm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * Reads {@code plugin_version} of one of Slurm's plugins without loading it: an ELF library of 64
 * bits, little endian (ELF-64 Object File Format, sections and symbol table). Slurm compares this
 * number with its own and refuses the plugin of another release (its src/common/plugin.c).
 */
final class PluginVersion {
  private static final byte[] SYMBOL = "plugin_version".getBytes(StandardCharsets.US_ASCII);
  private static final int MAGIC = 0x464c457f; // "\177ELF"
  private static final int DYNAMIC_SYMBOLS = 11;
  private static final int SYMBOL_SIZE = 24;
  private static final int MAX_BYTES = 1 << 26;

  private final ByteBuffer file;
  private final int sectionsAt;
  private final int sectionSize;

  private PluginVersion(ByteBuffer file) {
    this.file = file;
    this.sectionsAt = Math.toIntExact(file.getLong(40));
    this.sectionSize = Short.toUnsignedInt(file.getShort(58));
  }

  /**
   * Returns the number, {@code 0x160508} for 22.05.8; empty if the file is not a Slurm plugin.
   *
   * @throws IOException if the file cannot be read
   */
  static OptionalInt of(Path plugin) throws IOException {
    if (!Files.isRegularFile(plugin) || Files.size(plugin) > MAX_BYTES) {
      return OptionalInt.empty();
    }
    ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(plugin)).order(ByteOrder.LITTLE_ENDIAN);
    try {
      return file.getInt(0) == MAGIC ? new PluginVersion(file).number() : OptionalInt.empty();
    } catch (IndexOutOfBoundsException | ArithmeticException damaged) {
      return OptionalInt.empty();
    }
  }

  private OptionalInt number() {
    int count = Short.toUnsignedInt(file.getShort(60));
    for (int i = 0; i < count; i++) {
      if (file.getInt(section(i) + 4) == DYNAMIC_SYMBOLS) {
        return in(section(i));
      }
    }
    return OptionalInt.empty();
  }

  private OptionalInt in(int table) {
    int names = offset(section(file.getInt(table + 40)));
    int begin = offset(table);
    long end = begin + file.getLong(table + 32);
    for (int symbol = begin; symbol + SYMBOL_SIZE <= end; symbol += SYMBOL_SIZE) {
      if (isWanted(names + file.getInt(symbol))) {
        int home = section(Short.toUnsignedInt(file.getShort(symbol + 6)));
        long inSection = file.getLong(symbol + 8) - file.getLong(home + 16);
        return OptionalInt.of(file.getInt(Math.toIntExact(offset(home) + inSection)));
      }
    }
    return OptionalInt.empty();
  }

  private boolean isWanted(int name) {
    for (int i = 0; i < SYMBOL.length; i++) {
      if (file.get(name + i) != SYMBOL[i]) {
        return false;
      }
    }
    return file.get(name + SYMBOL.length) == 0;
  }

  private int section(int index) {
    return Math.addExact(sectionsAt, Math.multiplyExact(index, sectionSize));
  }

  private int offset(int section) {
    return Math.toIntExact(file.getLong(section + 24));
  }
}
