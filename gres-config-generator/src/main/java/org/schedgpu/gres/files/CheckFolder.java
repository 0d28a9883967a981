package org.schedgpu.gres.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.Hostlist;

/**
 * A private copy of the configuration folder, with new files in it, for slurmd to read. Files that
 * are not new are links to the real ones. Three things differ so that the check has no side
 * effects: slurmd's spool folder and log are private, and devices that this host lacks are links to
 * /dev/null, because slurmd would wait for them. Each has a name of its own: slurmd refuses a file
 * in two lines.
 */
public final class CheckFolder implements AutoCloseable {
  public static final String SLURM_CONF = "slurm.conf";
  private static final Pattern OWN_FILES =
      Pattern.compile("(?im)^[ \\t]*(SlurmdSpoolDir|SlurmdLogFile|SlurmdPidFile)[ \\t]*=.*$");
  private static final Pattern FILES = Pattern.compile("(?i)(\\b(?:Multiple)?Files?=)(\\S+)");

  private static final Pattern INCLUDE = Pattern.compile("(?im)^(include[ \\t]+)(/\\S+)");

  private final Path folder;
  private final Path real;

  private CheckFolder(Path folder, Path real) {
    this.folder = folder;
    this.real = real;
  }

  /**
   * Makes the copy.
   *
   * @param files the new files, by name
   * @throws GresException if the folder has no slurm.conf
   */
  public static CheckFolder make(Path real, Map<String, byte[]> files) throws IOException {
    if (!files.containsKey(SLURM_CONF) && !Files.exists(real.resolve(SLURM_CONF))) {
      throw new GresException(
          "--check needs " + real.resolve(SLURM_CONF) + ", which is not there",
          "name the folder of slurm.conf, or repeat without --check");
    }
    CheckFolder copy = new CheckFolder(Files.createTempDirectory("schedgpu-check-"), real);
    try {
      copy.fill(files);
      return copy;
    } catch (IOException e) {
      copy.close();
      throw e;
    }
  }

  Path folder() {
    return folder;
  }

  public Path slurmConf() {
    return folder.resolve(SLURM_CONF);
  }

  /** Replaces the copy's paths in slurmd's output by the real ones. */
  String withRealPaths(String words) {
    return words.replace(devices().toString(), "").replace(folder.toString(), real.toString());
  }

  private void fill(Map<String, byte[]> files) throws IOException {
    link(real, folder, files.keySet());
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      replace(file.getKey(), withIncludesHere(file.getValue()));
    }
    Path slurmConf = slurmConf();
    replace(SLURM_CONF, withOwnFiles(withIncludesHere(Files.readAllBytes(slurmConf))));
    Path gresConf = folder.resolve(GresFiles.GRES_CONF);
    if (Files.exists(gresConf)) {
      replace(GresFiles.GRES_CONF, withPresentDevices(Files.readAllBytes(gresConf)));
    }
  }

  /** Links a folder. A subfolder that gets new files is a real folder; all others are links. */
  private static void link(Path from, Path to, Set<String> files) throws IOException {
    Set<String> inside = new TreeSet<>();
    files.stream().filter(name -> name.contains("/")).forEach(inside::add);
    try (Stream<Path> all = Files.list(from)) {
      for (Path path : all.toList()) {
        String prefix = path.getFileName() + "/";
        Path copy = to.resolve(path.getFileName());
        Set<String> below =
            inside.stream()
                .filter(name -> name.startsWith(prefix))
                .map(name -> name.substring(prefix.length()))
                .collect(Collectors.toSet());
        if (below.isEmpty()) {
          Files.createSymbolicLink(copy, path.toAbsolutePath());
        } else {
          link(path, Files.createDirectory(copy), below);
        }
      }
    }
  }

  private void replace(String name, byte[] content) throws IOException {
    Files.createDirectories(folder.resolve(name).getParent());
    Files.deleteIfExists(folder.resolve(name));
    Files.write(folder.resolve(name), content);
  }

  /** Redirects Include lines with the real folder's path, which would read the old files. */
  private byte[] withIncludesHere(byte[] conf) {
    String text = new String(conf, StandardCharsets.ISO_8859_1);
    return INCLUDE
        .matcher(text)
        .replaceAll(
            found ->
                Matcher.quoteReplacement(
                    found.group(1)
                        + found
                            .group(2)
                            .replaceFirst("^" + Pattern.quote(real + "/"), folder + "/")))
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  private byte[] withOwnFiles(byte[] slurmConf) {
    String text = new String(slurmConf, StandardCharsets.ISO_8859_1);
    return (OWN_FILES.matcher(text).replaceAll("")
            + "\nSlurmdSpoolDir=%1$s\nSlurmdLogFile=%1$s/slurmd.log\nSlurmdPidFile=%1$s/slurmd.pid\n"
                .formatted(folder))
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  private byte[] withPresentDevices(byte[] gresConf) throws IOException {
    String text = new String(gresConf, StandardCharsets.ISO_8859_1);
    Matcher found = FILES.matcher(text);
    StringBuilder with = new StringBuilder();
    while (found.find()) {
      String list = found.group(1) + presentDevices(found.group(2));
      found.appendReplacement(with, Matcher.quoteReplacement(list));
    }
    return found.appendTail(with).toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Replaces missing devices. A list that is no hostlist is left for slurmd to refuse. */
  private String presentDevices(String list) throws IOException {
    List<String> files;
    try {
      files = Hostlist.expand(list);
    } catch (GresException unreadable) {
      return list;
    }
    List<String> present = new ArrayList<>();
    for (String file : files) {
      present.add(Files.exists(Path.of(file)) ? file : standIn(file));
    }
    return String.join(",", present);
  }

  private String standIn(String device) throws IOException {
    Path link = Path.of(devices() + "/" + device).normalize();
    if (!link.startsWith(devices())) {
      return device;
    }
    if (!Files.exists(link)) {
      Files.createDirectories(link.getParent());
      Files.createSymbolicLink(link, Path.of("/dev/null"));
    }
    return link.toString();
  }

  private Path devices() {
    return folder.resolve("stand-ins");
  }

  @Override
  public void close() throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(folder)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
  }
}
