package org.schedgpu.jna;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.jna.LearnedTable.Line;

/**
 * Checks what Java writes. What readers accept is tested in {@code
 * libschedgpu/tests/node/learned_test.c}.
 */
class LearnedTableTest {
  private static final String HEAD =
      "schedgpu-learned 1\n# user, bytes of each device, name of the job; written by the agent\n";

  @TempDir private Path runDir;

  @BeforeEach
  void library() {
    RealLibrary.require();
  }

  private String written(Line... lines) throws IOException {
    LearnedTable.write(runDir, LearnedTable.Table.BUDGETS, List.of(lines));
    return Files.readString(runDir.resolve("learned"));
  }

  @Test
  void aLineHasUserBytesAndName() throws IOException {
    assertEquals(
        HEAD + "1000 1342177280 tr\u00e4in it.sh\n4294967294 4096 x\n",
        written(new Line(1000, 1342177280, "tr\u00e4in it.sh"), new Line(-2, 4096, "x")));
    assertEquals(
        "rw-------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(runDir.resolve("learned"))));
    assertEquals(HEAD, written());
  }

  /**
   * A name "a\n0 9999 b" would become a line for root's job b; a name with a NUL would become two
   * names.
   */
  @Test
  void aNameCannotForgeALine() throws IOException {
    assertEquals(
        HEAD + "1 2 y\n",
        written(new Line(1, 1, "a\n0 9999 b"), new Line(0, 9999, "b\0c"), new Line(1, 2, "y")));
  }

  @Test
  void whatCannotBeWrittenIsNamed() {
    Path missing = runDir.resolve("missing");
    SchedGpuException problem =
        assertThrows(
            SchedGpuException.class,
            () -> LearnedTable.write(missing, LearnedTable.Table.BUDGETS, List.of()));

    assertEquals(
        missing
            + "/learned: cannot be written (No such file or directory): "
            + "check RunDir and its file system",
        problem.getMessage());
    assertEquals(ErrorCode.ESYSTEM, problem.code());
  }
}
