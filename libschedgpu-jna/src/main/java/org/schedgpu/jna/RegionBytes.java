package org.schedgpu.jna;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Reads the numbers and texts of a snapshot. Any value is possible, because users can write the
 * region.
 */
final class RegionBytes {
  private static final int FREE = 0;
  private static final List<String> TABLES =
      List.of("device", "job", "client", "waiter", "ended", "lane", "turn");

  private final ByteBuffer bytes;
  private final RegionLayout layout;

  /** The start of the bytes within the snapshot; what lies before is left out. */
  private final int base;

  /** An array of zeros, as most arrays are. */
  private final long[] nothing;

  RegionBytes(ByteBuffer snapshot, RegionLayout layout) {
    this.bytes = snapshot.order(ByteOrder.nativeOrder());
    this.layout = layout;
    this.base = 0;
    this.nothing = new long[layout.at("device", "count")];
    require(layout.at("sizeof.region"));
    for (String table : TABLES) {
      require(offset(table, count(table)));
    }
  }

  private RegionBytes(byte[] part, int base, RegionLayout layout) {
    this.bytes = ByteBuffer.wrap(part).order(ByteOrder.nativeOrder());
    this.layout = layout;
    this.base = base;
    this.nothing = new long[layout.at("device", "count")];
  }

  /** One table alone, for later use: copies its bytes. */
  RegionBytes copyOf(String table) {
    int from = Math.toIntExact(offset(table, 0));
    byte[] part = new byte[Math.toIntExact(offset(table, count(table))) - from];
    bytes.get(from, part);
    return new RegionBytes(part, from, layout);
  }

  private void require(long size) {
    if (size > bytes.capacity()) {
      throw new IllegalArgumentException(
          "snapshot of " + bytes.capacity() + " bytes, but the layout needs " + size);
    }
  }

  /** Bytes of a unit, in which the region counts leases. */
  int unitBytes() {
    return layout.at("layout.unit_bytes");
  }

  int count(String table) {
    return layout.at(table, "count");
  }

  private long offset(String table, int record) {
    return layout.at(table, "offset") + (long) layout.at(table, "stride") * record;
  }

  /** The records of a table that are in use. Most are not, and cost only this test. */
  int[] used(String table) {
    int first = Math.toIntExact(offset(table, 0)) - base + layout.at(table, "state");
    int stride = layout.at(table, "stride");
    int[] used = new int[count(table)];
    int found = 0;
    for (int i = 0; i < used.length; i++) {
      if (bytes.getInt(first + i * stride) != FREE) {
        used[found++] = i;
      }
    }
    return Arrays.copyOf(used, found);
  }

  /** A record of a table. */
  Row record(String table, int index) {
    return new Row(table, Math.toIntExact(offset(table, index)) - base);
  }

  /** The header. */
  Row header() {
    return new Row("region", 0);
  }

  /** One record; callers name its fields without the name of the table. */
  final class Row {
    private final String table;
    private final Map<String, Integer> fields;
    private final int offset;

    private Row(String table, int offset) {
      this.table = table;
      this.fields = layout.fields(table);
      this.offset = offset;
    }

    private int at(String field) {
      Integer at = fields.get(field);
      return offset
          + (at != null
              ? at
              : layout.at(table, field)); // if they are missing, the exception names them
    }

    /** An unsigned 32-bit field. */
    long u32(String field) {
      return Integer.toUnsignedLong(i32(field));
    }

    /** A signed 32-bit field. */
    int i32(String field) {
      return bytes.getInt(at(field));
    }

    /** A 64-bit field; a value of 2^63 or more appears as negative. */
    long u64(String field) {
      return bytes.getLong(at(field));
    }

    /**
     * An array with a 64-bit number for each device. Callers must not write to it, because it may
     * be shared.
     */
    long[] byDevice(String field) {
      int first = at(field);
      long[] numbers = nothing;
      for (int device = 0; device < nothing.length; device++) {
        long number = bytes.getLong(first + device * Long.BYTES);
        if (number != 0) {
          numbers = numbers == nothing ? nothing.clone() : numbers;
          numbers[device] = number;
        }
      }
      return numbers;
    }

    /** A NUL-terminated text of at most {@code size} bytes, safe to print on a terminal. */
    String text(String field, int size) {
      byte[] raw = new byte[size];
      bytes.get(at(field), raw);
      int length = 0;
      while (length < size && raw[length] != 0) {
        length++;
      }
      return Printable.of(new String(raw, 0, length, StandardCharsets.UTF_8));
    }
  }
}
