package org.schedgpu.agent.overrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder stands in for that of a process in /proc. */
class UncaughtProgramTest {
  private static final int PT_LOAD = 1;
  private static final int PT_INTERP = 3;
  private static final int HEADERS_AT = 64;
  private static final int HEADER_SIZE = 56;

  @TempDir Path folder;

  /** An executable with these program headers. */
  private Path executable(int... types) throws IOException {
    ByteBuffer elf =
        ByteBuffer.allocate(HEADERS_AT + types.length * HEADER_SIZE).order(ByteOrder.LITTLE_ENDIAN);
    elf.putInt(0, 0x464c457f);
    elf.putLong(32, HEADERS_AT);
    elf.putShort(54, (short) HEADER_SIZE);
    elf.putShort(56, (short) types.length);
    for (int i = 0; i < types.length; i++) {
      elf.putInt(HEADERS_AT + i * HEADER_SIZE, types[i]);
    }
    return Files.write(folder.resolve("exe"), elf.array());
  }

  private UncaughtProgram withMaps(String maps) throws IOException {
    Files.writeString(folder.resolve("maps"), maps);
    return UncaughtProgram.of(0, folder);
  }

  @Test
  void withoutAnInterpreterItIsStatic() throws IOException {
    assertTrue(ElfFile.isStatic(executable(PT_LOAD, PT_LOAD)));
    assertFalse(ElfFile.isStatic(executable(PT_LOAD, PT_INTERP)));
    executable(PT_LOAD);
    assertEquals(UncaughtProgram.STATIC, withMaps(""));
  }

  @Test
  void aFileThatIsCutShortIsNotCalledStatic() throws IOException {
    byte[] whole = Files.readAllBytes(executable(PT_LOAD, PT_LOAD));
    Path file = folder.resolve("cut");
    assertFalse(ElfFile.isStatic(Files.write(file, java.util.Arrays.copyOf(whole, 63))));
    assertFalse(ElfFile.isStatic(Files.write(file, java.util.Arrays.copyOf(whole, 64))));
    assertFalse(ElfFile.isStatic(Files.writeString(file, "#!/bin/sh\n".repeat(10))));
  }

  @Test
  void thisJvmIsNotStatic() throws IOException {
    assertFalse(ElfFile.isStatic(Path.of("/proc/self/exe")));
  }

  @Test
  void theLibraryIsLookedForInItsMaps() throws IOException {
    executable(PT_INTERP);
    assertEquals(UncaughtProgram.NOT_LOADED, withMaps("7f0 r-xp /lib/libc.so.6\n"));
    assertEquals(
        UncaughtProgram.LOADED, withMaps("7f0 r-xp /usr/local/lib/libschedgpu-preload.so\n"));
    assertEquals(
        UncaughtProgram.LOADED,
        withMaps("7f0 r-xp /x\n7f1 r-xp /usr/local/lib/schedgpu/proxy/libcuda.so.1\n"));
    assertEquals(
        UncaughtProgram.NOT_LOADED,
        withMaps("7f0 r-xp /home/a/schedgpu/train\n7f1 r-xp /usr/lib/libcuda.so.1\n"));
  }

  @Test
  void mappingsWithoutEndAreUnknown() throws IOException {
    executable(PT_INTERP);
    Files.createSymbolicLink(folder.resolve("maps"), Path.of("/dev/zero"));
    assertEquals(UncaughtProgram.UNKNOWN, UncaughtProgram.of(0, folder));
  }

  @Test
  void setuidProgramsAreNamed() throws IOException {
    Path program = executable(PT_INTERP);
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setAttribute(program, "unix:mode", 04755);
    assertEquals(UncaughtProgram.SETUID, withMaps(""));
  }

  @Test
  void whatMayNotBeReadIsUnknown() {
    assertEquals(UncaughtProgram.UNKNOWN, UncaughtProgram.of(0, folder.resolve("none")));
  }
}
