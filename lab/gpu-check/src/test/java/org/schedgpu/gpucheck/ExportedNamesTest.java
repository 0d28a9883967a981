package org.schedgpu.gpucheck;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportedNamesTest {
  private static final Path LIBRARY =
      Path.of(System.getProperty("check.root"), "libschedgpu/target/native/libschedgpu.so.0");

  @TempDir Path folder;

  @Test
  void functionsOfALibraryAreThoseThatItDefines() {
    Set<String> names = ExportedNames.of(LIBRARY);
    assertTrue(names.contains("schedgpu_reserve"), names::toString);
    assertFalse(names.contains("malloc"), "it only uses that");
    assertFalse(names.contains(""), names::toString);
  }

  @Test
  void whatIsNoLibraryOrCutOffIsRefusedByItsName() throws IOException {
    byte[] whole = Files.readAllBytes(LIBRARY);
    for (byte[] bytes :
        new byte[][] {
          {},
          "not an ELF file, but long enough to be read".getBytes(US_ASCII),
          Arrays.copyOf(whole, whole.length / 2)
        }) {
      Path file = Files.write(folder.resolve("cut.so"), bytes);
      CheckException refused = assertThrows(CheckException.class, () -> ExportedNames.of(file));
      assertEquals(file + ": is not a whole ELF library of 64 bits", refused.getMessage());
    }
  }
}
