package org.schedgpu.jna;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.jna.UserFiles.Limits;

/** Blocking reads wait for a latch, so nothing here depends on time. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class UserFilesTest {
  private static final int USER = 1000;
  private static final int OTHER = 1001;
  private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long NEVER_NS = TimeUnit.DAYS.toNanos(1);

  @TempDir Path folder;
  private final CountDownLatch end = new CountDownLatch(1);

  @AfterEach
  void letBlockedReadsEnd() {
    end.countDown();
  }

  private static UserFiles impatient(int mostBlocked) {
    return new UserFiles(new Limits(1, NEVER_NS, NEVER_NS, NEVER_NS, mostBlocked));
  }

  private static UserFiles patient(long promptNs, long allowanceNs, long windowNs) {
    return new UserFiles(new Limits(NEVER_NS, promptNs, allowanceNs, windowNs, 1));
  }

  private String block() {
    try {
      end.await();
      return "";
    } catch (InterruptedException stop) {
      throw new IllegalStateException(stop);
    }
  }

  private static String refusal(UserFiles files, int uid, UserFiles.Read<String> read) {
    return assertThrows(IOException.class, () -> files.inTime(uid, read)).getMessage();
  }

  @Test
  void aFileOfJustTheBoundIsRead() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "abc");
    assertArrayEquals(new byte[] {'a', 'b', 'c'}, UserFiles.read(file, 3));
  }

  @Test
  void oneByteMoreIsRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "abcd");
    IOException refused = assertThrows(IOException.class, () -> UserFiles.read(file, 3));
    assertEquals(file + ": longer than 3 bytes: not read", refused.getMessage());
  }

  @Test
  void aFileWithoutEndIsRefused() {
    assertThrows(
        IOException.class, () -> UserFiles.read(Path.of("/dev/zero"), UserFiles.MAX_BYTES));
  }

  @Test
  void anyBytesAreText() throws IOException {
    Path file = Files.write(folder.resolve("file"), new byte[] {(byte) 0xff, 0});
    assertEquals("\u00ff\0", UserFiles.shared().textInTime(USER, file));
  }

  @Test
  void whatIsMissingIsSaidAsEver() {
    assertThrows(
        IOException.class, () -> UserFiles.shared().textInTime(USER, folder.resolve("none")));
  }

  @Test
  void whatBlocksIsGivenUp() {
    UserFiles files = impatient(9);
    assertEquals("a file of user 1000 blocks: not read", refusal(files, USER, this::block));
    assertEquals(1, files.blocked());
  }

  /** At most one thread for each user, however many files the user has. */
  @Test
  void aUserWhoseReadBlocksIsNotReadAgain() {
    UserFiles files = impatient(9);
    refusal(files, USER, this::block);
    assertEquals("files of user 1000 take too long: not read", refusal(files, USER, this::block));
    assertEquals(1, files.blocked());
  }

  @Test
  void hisNeighboursAreRead() {
    UserFiles files = impatient(9);
    refusal(files, USER, this::block);
    assertEquals("a file of user 1001 blocks: not read", refusal(files, OTHER, this::block));
  }

  @Test
  void manyUsersDoNotTakeAllThreads() {
    UserFiles files = impatient(1);
    refusal(files, USER, this::block);
    assertEquals("files of user 1001 take too long: not read", refusal(files, OTHER, this::block));
  }

  @Test
  void whenTheReadEndsHisFilesAreReadAgain() throws InterruptedException {
    UserFiles files = impatient(1);
    refusal(files, USER, this::block);
    end.countDown();
    while (files.blocked() > 0) {
      Thread.sleep(1); // a timeout can interrupt it
    }
    assertNotEquals("files of user 1000 take too long: not read", outcome(files));
  }

  private static String outcome(UserFiles files) {
    try {
      return files.inTime(USER, () -> "read");
    } catch (IOException late) {
      return late.getMessage();
    }
  }

  /** Many slow reads, of which none takes too long. */
  @Test
  void whoHasUsedUpHisAllowanceIsNotRead() throws IOException {
    UserFiles files = patient(-1, -1, NEVER_NS);
    assertEquals("", files.inTime(USER, () -> ""));
    assertEquals("files of user 1000 take too long: not read", refusal(files, USER, () -> ""));
    assertEquals("", files.inTime(OTHER, () -> ""));
  }

  @Test
  void aNewWindowIsANewAllowance() throws IOException {
    UserFiles files = patient(-1, -1, -1);
    assertEquals("", files.inTime(USER, () -> ""));
    assertEquals("", files.inTime(USER, () -> ""));
  }

  @Test
  void promptReadsCostNothing() throws IOException {
    UserFiles files = patient(NEVER_NS, -1, NEVER_NS);
    assertEquals("", files.inTime(USER, () -> ""));
    assertEquals("", files.inTime(USER, () -> ""));
  }

  @Test
  void aPipeThatNobodyWritesBlocksNobody() throws IOException, InterruptedException {
    Path pipe = folder.resolve("pipe");
    assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
    UserFiles files = impatient(9);
    assertThrows(IOException.class, () -> files.textInTime(USER, pipe));
    assertTrue(Files.exists(Files.write(pipe, new byte[0]))); // lets the read end
  }

  /** Mounts, at the given folder, a file system whose server never answers. */
  private static final String SILENT_SERVER =
      """
      import ctypes, os, sys
      libc = ctypes.CDLL(None, use_errno=True)
      fd = os.open('/dev/fuse', os.O_RDWR)
      options = 'fd=%d,rootmode=40000,user_id=0,group_id=0' % fd
      if libc.mount(b'silent', sys.argv[1].encode(), b'fuse', 0, options.encode()) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))
      print('mounted', flush=True)
      sys.stdin.read()
      libc.umount2(sys.argv[1].encode(), 2)
      """;

  @Test
  void aFileSystemThatNeverAnswersBlocksNobody() throws Exception {
    Assumptions.assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "FUSE and root are needed");
    Path mount = Files.createDirectory(folder.resolve("mount"));
    Process server =
        new ProcessBuilder("/usr/bin/python3", "-c", SILENT_SERVER, mount.toString())
            .redirectErrorStream(true)
            .start();
    try {
      assertEquals("mounted", server.inputReader().readLine());
      UserFiles files = new UserFiles(new Limits(SHORT_NS, SHORT_NS, NEVER_NS, NEVER_NS, 9));
      Path file = mount.resolve("environ");
      IOException blocks = assertThrows(IOException.class, () -> files.textInTime(USER, file));
      assertEquals("a file of user 1000 blocks: not read", blocks.getMessage());
    } finally {
      server.getOutputStream().close(); // unmounts, and the read ends
      assertEquals(0, server.waitFor());
    }
  }
}
