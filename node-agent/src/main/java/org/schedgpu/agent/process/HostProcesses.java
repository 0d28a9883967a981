package org.schedgpu.agent.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.schedgpu.jna.Printable;

/** Reads /proc; what this user may not read is left out. */
public final class HostProcesses {
  private static final String JOB_VARIABLE = "SCHEDGPU_JOB=";

  private final Path proc;

  /** Of this machine. */
  public HostProcesses() {
    this(Path.of("/proc"));
  }

  /** Of a folder as /proc. */
  public HostProcesses(Path proc) {
    this.proc = proc;
  }

  /** The folder of a process. */
  public Path folder(int pid) {
    return proc.resolve(Integer.toString(pid));
  }

  /** Whether processes of other users are shown (mount option hidepid). */
  public boolean seesAll() {
    return Files.exists(folder(1));
  }

  /** Numbers of all processes that this user may see. */
  List<Integer> all() {
    try (Stream<Path> folders = Files.list(proc)) {
      return folders
          .map(folder -> folder.getFileName().toString())
          .filter(name -> name.matches("[0-9]{1,9}"))
          .map(Integer::valueOf)
          .toList();
    } catch (IOException | UncheckedIOException denied) {
      return List.of();
    }
  }

  /** What a process says that it is (its command line); "" if it is gone or hidden. */
  String title(int pid) {
    try {
      return Printable.of(text(folder(pid).resolve("cmdline")).replace('\0', ' ')).strip();
    } catch (IOException gone) {
      return "";
    }
  }

  /** The process of a pid; empty if there is none, or it is hidden from this user. */
  public Optional<HostProcess> find(int pid) {
    try {
      Map<String, String> status = status(folder(pid));
      List<String> pids = words(status.getOrDefault("NSpid", Integer.toString(pid)));
      return Optional.of(
          new HostProcess(
              pid,
              Printable.of(status.getOrDefault("Name", "")),
              Integer.parseUnsignedInt(words(status.getOrDefault("Uid", "")).get(0)),
              Integer.parseInt(status.getOrDefault("PPid", "0")),
              Integer.parseInt(pids.get(pids.size() - 1)),
              // One number: it is in the namespace of who asks.
              pidNamespace(pids.size() == 1 ? proc.resolve("self") : folder(pid)),
              lines(folder(pid).resolve("cgroup")),
              job(folder(pid))));
    } catch (IOException | NumberFormatException gone) {
      return Optional.empty();
    }
  }

  private static Map<String, String> status(Path folder) throws IOException {
    Map<String, String> values = new TreeMap<>();
    for (String line : text(folder.resolve("status")).lines().toList()) {
      int end = line.indexOf(':');
      if (end > 0) {
        values.put(line.substring(0, end), line.substring(end + 1).strip());
      }
    }
    return values;
  }

  private static List<String> words(String text) {
    return List.of(text.split("\\s+", -1));
  }

  private static long pidNamespace(Path folder) {
    try {
      String link = Files.readSymbolicLink(folder.resolve("ns/pid")).toString();
      return Long.parseLong(link.replaceAll("\\D", ""));
    } catch (IOException | NumberFormatException denied) {
      return 0;
    }
  }

  private static String job(Path folder) {
    try {
      for (String variable : text(folder.resolve("environ")).split("\0", -1)) {
        if (variable.startsWith(JOB_VARIABLE)) {
          return variable.substring(JOB_VARIABLE.length());
        }
      }
    } catch (IOException denied) {
      return "";
    }
    return "";
  }

  private static List<String> lines(Path file) {
    try {
      return text(file).lines().toList();
    } catch (IOException denied) {
      return List.of();
    }
  }

  /** Names and environments are bytes of any kind: no decoder may refuse them. */
  private static String text(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
  }
}
