package org.schedgpu.jna;

import com.sun.jna.Native;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Sizes, times and priorities as users write them. libschedgpu reads them, so every program accepts
 * the same forms.
 */
public final class Units {
  private static final int TEXT_SIZE = 24;

  private Units() {}

  /** Bytes of {@code 512M}, {@code 6G}, a bare number of MiB; empty if it is none of them. */
  public static OptionalLong bytes(String text) {
    return bytes(text, 0);
  }

  /** As {@link #bytes(String)}, and also {@code 40%}, of {@code totalBytes}. */
  public static OptionalLong bytes(String text, long totalBytes) {
    CLibrary.load();
    LongByReference bytes = new LongByReference();
    return CApi.schedgpu_parse_bytes(text, totalBytes, bytes) == 0 && bytes.getValue() >= 0
        ? OptionalLong.of(bytes.getValue())
        : OptionalLong.empty();
  }

  /** The budget to suggest for a job with this peak. */
  public static long suggestedBudget(long usedBytes) {
    CLibrary.load();
    return CApi.schedgpu_suggested_budget(usedBytes);
  }

  /** Whole MiB in the form that users type: {@code 3G}, {@code 2560M}. */
  public static String typed(long bytes) {
    CLibrary.load();
    byte[] text = new byte[TEXT_SIZE];
    CApi.schedgpu_type_bytes(bytes, text);
    return Native.toString(text, StandardCharsets.US_ASCII.name());
  }

  /** Nanoseconds of {@code 30s}, {@code MM:SS}, {@code forever} ({@link JobSpec#FOREVER}). */
  public static OptionalLong timeNs(String text) {
    CLibrary.load();
    LongByReference ns = new LongByReference();
    return CApi.schedgpu_parse_time(text, ns) == 0
        ? OptionalLong.of(ns.getValue())
        : OptionalLong.empty();
  }

  /** 0 to 100 of {@code low}, {@code normal}, {@code high} or a number. */
  public static OptionalInt priority(String text) {
    CLibrary.load();
    IntByReference priority = new IntByReference();
    return CApi.schedgpu_parse_priority(text, priority) == 0
        ? OptionalInt.of(priority.getValue())
        : OptionalInt.empty();
  }
}
