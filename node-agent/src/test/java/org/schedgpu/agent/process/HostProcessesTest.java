package org.schedgpu.agent.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.jna.UserFiles;

/** A folder stands in for /proc. */
class HostProcessesTest {
  @TempDir Path proc;

  private Path process(int pid, String status) throws IOException {
    Path folder = Files.createDirectories(proc.resolve(pid + "/ns")).getParent();
    Files.writeString(folder.resolve("status"), status);
    return folder;
  }

  @Test
  void readsWhatIsThere() throws IOException {
    Path folder =
        process(4711, "Name:\ttrain me\nPPid:\t31\nUid:\t4294967294\t0\t0\t0\nNSpid:\t4711\t12\n");
    Files.createSymbolicLink(folder.resolve("ns/pid"), Path.of("pid:[4026532199]"));
    Files.writeString(folder.resolve("cgroup"), "1:cpu:/a\n0::/b\n");
    Files.write(
        folder.resolve("environ"),
        "A=\u00ff\0SCHEDGPU_JOB=run:31\0B=\0".getBytes(StandardCharsets.ISO_8859_1));
    assertEquals(
        Optional.of(
            new HostProcess(
                4711, "train me", -2, 31, 12, 4026532199L, List.of("1:cpu:/a", "0::/b"), "run:31")),
        new HostProcesses(proc).find(4711));
  }

  @Test
  void whatMayNotBeReadIsLeftOut() throws IOException {
    process(4711, "Name:\tx\nUid:\t1000\t1000\n");
    assertEquals(
        Optional.of(new HostProcess(4711, "x", 1000, 0, 4711, 0, List.of(), "")),
        new HostProcesses(proc).find(4711));
  }

  /** A user cannot read /proc/PID/ns of others, but knows the own one. */
  @Test
  void aProcessWithOnePidIsInOurNamespace() throws IOException {
    process(4711, "Name:\tx\nUid:\t1000\nNSpid:\t4711\n");
    Files.createDirectories(proc.resolve("self/ns"));
    Files.createSymbolicLink(proc.resolve("self/ns/pid"), Path.of("pid:[77]"));
    assertEquals(77, new HostProcesses(proc).find(4711).orElseThrow().pidNamespace());
  }

  @Test
  void aProcessThatIsGoneIsNotThere() throws IOException {
    process(12, "");
    assertEquals(Optional.empty(), new HostProcesses(proc).find(4711));
    assertEquals(Optional.empty(), new HostProcesses(proc).find(12));
  }

  /** The kernel escapes line feeds in names, and nothing else. */
  @Test
  void aProgramsNameCannotSteerTheTerminal() throws IOException {
    Path folder = process(4711, "");
    Files.write(
        folder.resolve("status"),
        "Name:\ta\u001b[2J\u009bb\nUid:\t0\n".getBytes(StandardCharsets.ISO_8859_1));
    Files.writeString(folder.resolve("cmdline"), "a\0\u001b[2J\n\0");
    HostProcesses processes = new HostProcesses(proc);
    assertEquals("a?[2J?b", processes.find(4711).orElseThrow().name());
    assertEquals("a ?[2J?", processes.title(processes.find(4711).orElseThrow()));
  }

  /** A process can make its environment 4 GiB long, which is more than this heap. */
  @Test
  void whatIsTooLongIsUnreadable() throws IOException {
    Path folder = process(4711, "Name:\tslurmstepd\nUid:\t1000\n");
    for (String name : List.of("environ", "cmdline")) {
      Files.writeString(folder.resolve(name), "SCHEDGPU_JOB=run:31\0");
      try (RandomAccessFile file = new RandomAccessFile(folder.resolve(name).toFile(), "rw")) {
        file.setLength(4L << 30);
      }
    }
    HostProcesses processes = new HostProcesses(proc);
    HostProcess found = processes.find(4711).orElseThrow();
    assertEquals("", found.job());
    assertEquals("", processes.title(found));
  }

  /** Makes its environment 4 GiB long, which needs no privilege, and reports that. */
  private static final String HUGE_ENVIRONMENT =
      """
      import ctypes, mmap, os, sys
      libc = ctypes.CDLL(None, use_errno=True)
      libc.mmap.restype = libc.sbrk.restype = ctypes.c_void_p
      libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
      PR_SET_MM, PR_SET_MM_MAP, NORESERVE, SIZE = 35, 14, 0x4000, 4 << 30
      at = libc.mmap(None, SIZE, 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE, -1, 0)
      stat = open('/proc/self/stat').read().rsplit(')', 1)[1].split()
      field = lambda n: int(stat[n - 3]) # by its number in proc(5)
      code, data, brk, stack, arguments = (26, 27), (45, 46), (47,), (28,), (48, 49)
      addresses = [field(n) for n in code + data + brk]
      addresses += [libc.sbrk(0)] + [field(n) for n in stack + arguments] + [at, at + SIZE, 0]
      numbers = (ctypes.c_uint64 * 13)(*addresses, 0xffffffff << 32)
      if libc.prctl(PR_SET_MM, PR_SET_MM_MAP, numbers, ctypes.sizeof(numbers), 0) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))
      print('done', flush=True)
      sys.stdin.read()
      """;

  @Test
  void aRealEnvironmentOfFourGibibytesIsUnreadable() throws Exception {
    Process process =
        new ProcessBuilder("/usr/bin/python3", "-c", HUGE_ENVIRONMENT)
            .redirectErrorStream(true)
            .start();
    try {
      assertEquals("done", process.inputReader().readLine());
      HostProcesses processes = new HostProcesses();
      HostProcess found = processes.find(Math.toIntExact(process.pid())).orElseThrow();
      Path environ = processes.folder(found.pid()).resolve("environ");
      assertEquals(
          environ + ": longer than 65536 bytes: not read",
          assertThrows(IOException.class, () -> UserFiles.shared().textInTime(found.uid(), environ))
              .getMessage());
      assertEquals("", found.job());
      assertTrue(processes.title(found).startsWith("/usr/bin/python3 "), "its title is as it was");
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /** Like an environment on a user's own file system that does not answer. */
  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
  void whatBlocksIsUnreadable() throws IOException, InterruptedException {
    Path environ = process(4711, "Name:\tx\nUid:\t1234\n").resolve("environ");
    assertEquals(0, new ProcessBuilder("mkfifo", environ.toString()).start().waitFor());
    assertEquals("", new HostProcesses(proc).find(4711).orElseThrow().job());
    Files.write(environ, new byte[0]); // lets the read end
  }

  /** 65,536 groups, as a user can have in a user namespace, do not hide a process. */
  @Test
  void manyGroupsHideNoProcess() throws IOException {
    process(4711, "Name:\tx\nUid:\t1000\nGroups:\t" + "1000000000 ".repeat(65536) + "\nPPid:\t3\n");
    assertEquals(3, new HostProcesses(proc).find(4711).orElseThrow().parent());
  }

  @Test
  void hiddenProcessesAreNoticed() throws IOException {
    assertFalse(new HostProcesses(proc).seesAll());
    process(1, "");
    assertTrue(new HostProcesses(proc).seesAll());
  }

  @Test
  void thisProcessIsFoundInTheRealProc() {
    int pid = Math.toIntExact(ProcessHandle.current().pid());
    HostProcess self = new HostProcesses().find(pid).orElseThrow();
    assertEquals("java", self.name());
    assertEquals(pid, self.innerPid());
    assertTrue(self.pidNamespace() > 0);
  }
}
