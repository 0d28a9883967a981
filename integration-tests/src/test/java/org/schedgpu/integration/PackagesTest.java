package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The packages that `make packages` builds: their files, dependencies, and messages at
 * installation. The build itself fails for complaints of lintian, and for problems that rpm finds
 * in an empty root. They are built of a copy of the working tree and of what is built there,
 * because an edit, a commit or a build in the meantime would change their bytes. `make
 * packages-test` shows that they install and work on each Slurm.
 */
final class PackagesTest {
  private static final Path PACKAGING = Build.root().resolve("packaging");
  private static final List<String> NAMES =
      List.of("libschedgpu0", "libschedgpu-dev", "schedgpu", "schedgpu-slurm");

  /** Makes $2 a working tree like $1, with what is built there. */
  private static final String COPY =
      """
      cd "$1"
      git ls-files -z -co --exclude-standard |
        xargs -0 sh -c 'for f; do [ ! -e "$f" ] || printf "%s\\0" "$f"; done' sh |
        tar -c --null -T - | tar -x -C "$2"
      build-support/copy-built "$2"
      git init -q "$2"
      """;

  @TempDir static Path out;
  @TempDir static Path tree;

  private static String commitSeconds;

  @BeforeAll
  static void make() throws IOException {
    Path root = Build.root();
    Path git = root.resolve(".git");
    assumeTrue(Files.exists(git), "no " + git + ": make packages asks git which files there are");
    commitSeconds = run("git", "-C", root.toString(), "log", "-1", "--format=%ct").strip();
    run("sh", "-euc", COPY, "sh", root.toString(), tree.toString());
    packages(out, ":", "--built");
  }

  /** Makes the packages of the copy; {@code first} is what the shell does before that. */
  private static void packages(Path folder, String first, String... options) throws IOException {
    String script =
        "export SOURCE_DATE_EPOCH=%s && %s && exec \"$@\"".formatted(commitSeconds, first);
    String packages = tree.resolve("packaging/packages").toString();
    List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh", packages));
    command.addAll(List.of(options));
    command.addAll(List.of("--out", folder.toString()));
    run(command.toArray(String[]::new));
  }

  private static String run(String... command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    // The jobs of another make are not ours.
    builder.environment().keySet().removeAll(List.of("MAKEFLAGS", "MFLAGS", "MAKELEVEL"));
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      assertEquals(0, process.waitFor(), () -> String.join(" ", command) + ":\n" + output);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException(interrupted);
    }
    return output;
  }

  private static Path only(String glob) throws IOException {
    List<Path> found = new ArrayList<>();
    try (var files = Files.newDirectoryStream(out, glob)) {
      files.forEach(found::add);
    }
    assertEquals(1, found.size(), () -> glob + ": " + found);
    return found.get(0);
  }

  private static Path deb(String name) throws IOException {
    return only(name + "_*.deb");
  }

  private static Path rpm(String name) throws IOException {
    return only(name.replace("-dev", "-devel") + "-[0-9]*.rpm");
  }

  /** Of packaging/contents.txt. */
  private static SortedSet<String> expected(String name, String libraries) throws IOException {
    return Files.readAllLines(PACKAGING.resolve("contents.txt")).stream()
        .filter(line -> line.startsWith(name + " "))
        .map(line -> line.substring(name.length() + 1).replace("@LIB@", libraries))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static SortedSet<String> files(Stream<String> lines) {
    return lines
        .filter(path -> !path.matches("/usr/share/(lintian|doc/[^/]*/(copyright|changelog.*)).*"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String field(String name, String field) throws IOException {
    return run("dpkg-deb", "--field", deb(name).toString(), field).strip();
  }

  private static String release(String... arguments) throws IOException {
    return run(Stream.concat(
                Stream.of(PACKAGING.resolve("slurm-release").toString()), Arrays.stream(arguments))
            .toArray(String[]::new))
        .strip();
  }

  @Test
  void eachDebianPackageHasItsFilesAndNoOthers() throws IOException {
    String libraries = "/usr/lib/" + run("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip();
    for (String name : NAMES) {
      Stream<String> listed =
          run("dpkg-deb", "--contents", deb(name).toString())
              .lines()
              .filter(line -> !line.startsWith("d"))
              .map(line -> line.replaceAll("^.*? \\./", "/").replaceAll(" -> .*", ""));
      assertEquals(expected(name, libraries), files(listed), name);
    }
  }

  @Test
  void eachRpmHasTheSameFiles() throws IOException {
    for (String name : NAMES) {
      Stream<String> listed =
          run("rpm", "-qp", "--qf", "[%{FILEMODES:perms} %{FILENAMES}\n]", rpm(name).toString())
              .lines()
              .filter(line -> line.startsWith("-") || line.startsWith("l"))
              .map(line -> line.replaceAll("^\\S+ ", ""))
              .filter(line -> !line.matches("/usr/share/doc/schedgpu/LICENSE"));
      assertEquals(expected(name, "/usr/lib64"), files(listed), name);
    }
  }

  /**
   * Of the built files; `make packages-reproducible` builds twice, too. What lintian and rpm say of
   * the same bytes is known from the first.
   */
  @Test
  void theSameFilesMakeTheSameBytes() throws IOException {
    Path second = out.resolve("second");
    packages(second, "umask 077 && export TZ=Asia/Kathmandu", "--built", "--unchecked");
    assertEquals(
        Files.readString(out.resolve("SHA256SUMS")),
        Files.readString(second.resolve("SHA256SUMS")));
  }

  @Test
  void thePluginsPackagesWantTheReleaseOfSlurmThatTheyWereBuiltFor() throws IOException {
    String slurm = release();
    String next = release("next");
    assertTrue(slurm.matches("\\d\\d\\.\\d\\d"), slurm);

    String depends = field("schedgpu-slurm", "Depends");
    for (String name : List.of("slurm-wlm-basic-plugins", "slurm-smd")) {
      assertTrue(depends.contains("%s (>= %s)".formatted(name, slurm)), depends);
      assertTrue(depends.contains("%s (<< %s~)".formatted(name, next)), depends);
    }
    assertTrue(field("schedgpu-slurm", "Version").endsWith("+slurm" + slurm));

    List<String> requires =
        run("rpm", "-qp", "--requires", rpm("schedgpu-slurm").toString()).lines().toList();
    assertTrue(requires.contains("slurm >= " + slurm), requires::toString);
    assertTrue(requires.contains("slurm < " + next), requires::toString);
  }

  /** As of {@code rpmbuild -ta}, which gives it nothing. */
  @Test
  void theSpecAloneFindsTheReleaseOfSlurmWhoseHeadersAreHere() throws IOException {
    String spec = run("rpmspec", "-P", PACKAGING.resolve("rpm/schedgpu.spec").toString());
    assertTrue(spec.contains("Release: 1.slurm" + release() + "\n"), spec);
    assertTrue(
        spec.contains("Requires: slurm >= %s, slurm < %s".formatted(release(), release("next"))),
        spec);
  }

  @Test
  void thePartsOfTheCommandAreOfOneVersion() throws IOException {
    String version = field("schedgpu", "Version");
    assertTrue(
        field("schedgpu", "Depends").contains("libschedgpu0 (= %s)".formatted(version)), version);
    assertTrue(
        field("schedgpu-slurm", "Depends").contains("schedgpu (= %s)".formatted(version)), version);
    assertTrue(
        field("libschedgpu-dev", "Depends").contains("libschedgpu0 (= %s)".formatted(version)),
        version);
  }

  @Test
  void theCommandWantsAJavaThatItRunsOn() throws IOException {
    String depends = field("schedgpu", "Depends");
    assertTrue(depends.contains("default-jre-headless (>= 2:1.17)"), depends);
    assertTrue(
        run("rpm", "-qp", "--requires", rpm("schedgpu").toString())
            .lines()
            .anyMatch("java-headless >= 1:17"::equals));
  }

  @Test
  void onlyTheConfigurationIsKeptWhenAPackageIsRemoved() throws IOException {
    assertEquals(
        "/etc/schedgpu/schedgpu.conf",
        run("dpkg-deb", "--info", deb("schedgpu").toString(), "conffiles").strip());
    assertEquals(
        "/etc/schedgpu/schedgpu.conf",
        run("rpm", "-qp", "--configfiles", rpm("schedgpu").toString()).strip());
    assertTrue(
        run("dpkg-deb", "--info", deb("schedgpu").toString(), "postrm")
            .contains("rm -rf /etc/schedgpu /var/lib/schedgpu"));
  }

  @Test
  void anInstallationEndsWithWhatToDoNextInThreeLines() throws IOException {
    List<String> lines = Files.readAllLines(PACKAGING.resolve("what-next"));
    assertEquals(3, lines.size());
    assertTrue(lines.stream().allMatch(line -> line.startsWith("schedgpu: ")));
    for (String scripts :
        List.of(
            run("dpkg-deb", "--info", deb("schedgpu").toString(), "postinst"),
            run("rpm", "-qp", "--scripts", rpm("schedgpu").toString()))) {
      assertTrue(scripts.contains("cat /usr/lib/schedgpu/what-next"), scripts);
    }
    // After all packages of the call: by a trigger, and when the transaction is over.
    assertTrue(
        run("dpkg-deb", "--info", deb("schedgpu").toString(), "triggers")
            .contains("interest-noawait schedgpu-what-next"));
    String scripts = run("rpm", "-qp", "--scripts", rpm("schedgpu").toString());
    assertTrue(
        scripts.indexOf("cat /usr/lib/schedgpu/what-next") > scripts.indexOf("posttrans"), scripts);
  }

  @Test
  void noScriptChangesSlurm() throws IOException {
    String scripts =
        run(
            "rpm",
            "-qp",
            "--scripts",
            rpm("schedgpu").toString(),
            rpm("schedgpu-slurm").toString());
    for (String name : NAMES) {
      for (String script : List.of("preinst", "postinst", "prerm", "postrm")) {
        Path folder = Files.createTempDirectory(out, "control");
        run("dpkg-deb", "--control", deb(name).toString(), folder.toString());
        if (Files.exists(folder.resolve(script))) {
          scripts += Files.readString(folder.resolve(script));
        }
      }
    }
    assertFalse(scripts.contains("/etc/slurm"), scripts);
    assertFalse(scripts.matches("(?s).*(scontrol|slurmctld|slurmd).*"), scripts);
  }

  @Test
  void pagesAndExamplesNameThePlacesOfThePackage() throws IOException {
    Path folder = Files.createTempDirectory(out, "files");
    for (String name : NAMES) {
      run("dpkg-deb", "--extract", deb(name).toString(), folder.toString());
    }
    String libraries = "/usr/lib/" + run("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip();
    assertTrue(
        Files.readString(folder.resolve("usr/share/doc/schedgpu/examples/plugstack.conf.example"))
            .contains("required " + libraries + "/slurm/schedgpu.so"));
    assertTrue(
        Files.readString(folder.resolve("usr/lib/systemd/system/schedgpu-agent.service"))
            .contains("ExecStart=/usr/bin/schedgpu agent"));
    assertTrue(
        run("zcat", folder.resolve("usr/share/man/man8/schedgpu-prolog.8.gz").toString())
            .contains("Prolog=/usr/libexec/schedgpu/schedgpu-prolog"));
  }

  @Test
  void theCommandFindsTheLibraryOfItsPackage() throws IOException {
    Path folder = Files.createTempDirectory(out, "files");
    run("dpkg-deb", "--extract", deb("libschedgpu0").toString(), folder.toString());
    run("dpkg-deb", "--extract", deb("schedgpu").toString(), folder.toString());
    ProcessBuilder builder =
        new ProcessBuilder(
                folder.resolve("usr/bin/schedgpu").toString(), "run", "--mem", "lots", "--", "true")
            .redirectErrorStream(true);
    builder.environment().remove("SCHEDGPU_LIBRARY");
    String output =
        new String(builder.start().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertFalse(
        output.contains("libschedgpu"), output); // otherwise it would print where it searched
  }

  @Test
  void theSourceArchiveHasTheSourceAndNothingBuilt() throws IOException {
    List<String> names = run("tar", "-tzf", only("schedgpu-*.tar.gz").toString()).lines().toList();
    assertTrue(names.stream().anyMatch(name -> name.endsWith("/packaging/debian/control")));
    assertTrue(names.stream().noneMatch(name -> name.contains("/target/")));
  }
}
