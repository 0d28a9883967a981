package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The door between product and lab: what a site installs needs nothing of {@code lab/}, and has
 * nothing that no command and no task of the agent reaches (CONTRIBUTING, "Layout").
 */
class DoorTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern MODULE = Pattern.compile("<module>(.*)</module>");
  private static final Pattern DEPENDENCY =
      Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL);
  private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(.*)</artifactId>");
  private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?([\\w.]+);");

  /** All of it is tests, also its main classes. */
  private static final Path TESTS = ROOT.resolve("integration-tests");

  private static String pom(Path module) throws IOException {
    return Files.readString(module.resolve("pom.xml"));
  }

  private static List<Path> modules(boolean lab) throws IOException {
    return MODULE
        .matcher(pom(ROOT))
        .results()
        .map(m -> m.group(1))
        .filter(m -> m.startsWith("lab/") == lab)
        .map(ROOT::resolve)
        .filter(m -> !m.equals(TESTS))
        .toList();
  }

  private static String artifact(String xml) {
    Matcher m = ARTIFACT.matcher(xml);
    assertTrue(m.find(), xml);
    return m.group(1);
  }

  /** The names of the lab's modules, as a dependency names them: those of their folders. */
  private static Set<String> labArtifacts() throws IOException {
    return modules(true).stream()
        .map(m -> m.getFileName().toString())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void theFoldersOfTheLabAreItsModules() throws IOException {
    try (var folders = Files.list(ROOT.resolve("lab"))) {
      Set<String> names =
          folders
              .filter(f -> Files.exists(f.resolve("pom.xml")))
              .map(f -> f.getFileName().toString())
              .collect(Collectors.toCollection(TreeSet::new));
      assertEquals(names, labArtifacts());
    }
  }

  @Test
  void noModuleOfTheProductNeedsTheLabButItsTests() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (Path module : modules(false)) {
      for (var m : DEPENDENCY.matcher(pom(module)).results().toList()) {
        boolean inTests = m.group(1).contains("<scope>test</scope>");
        if (labArtifacts().contains(artifact(m.group(1))) && !inTests) {
          wrong.add(ROOT.relativize(module) + " -> " + artifact(m.group(1)));
        }
      }
    }
    assertEquals(List.of(), wrong);
  }

  @Test
  void noSourceOfTheProductImportsTheLab() throws IOException {
    Set<String> lab = new HashSet<>();
    for (Path module : modules(true)) {
      lab.addAll(packages(module));
    }
    List<String> wrong = new ArrayList<>();
    for (Path module : modules(false)) {
      for (Path source : sources(module)) {
        IMPORT
            .matcher(Files.readString(source))
            .results()
            .map(m -> m.group(1))
            .filter(name -> lab.stream().anyMatch(p -> name.startsWith(p + ".")))
            .forEach(name -> wrong.add(source + " imports " + name));
      }
    }
    assertEquals(List.of(), wrong);
  }

  private static List<Path> sources(Path module) throws IOException {
    Path main = module.resolve("src/main/java");
    if (!Files.isDirectory(main)) {
      return List.of();
    }
    try (var files = Files.walk(main)) {
      return files.filter(f -> f.toString().endsWith(".java")).toList();
    }
  }

  private static Set<String> packages(Path module) throws IOException {
    Path main = module.resolve("src/main/java");
    return sources(module).stream()
        .map(f -> main.relativize(f.getParent()).toString().replace('/', '.'))
        .collect(Collectors.toSet());
  }

  private static JavaClasses shipped() throws IOException {
    try (JarFile jar = new JarFile(ROOT.resolve("node-agent/target/schedgpu.jar").toFile())) {
      return new ClassFileImporter()
          .withImportOption(location -> location.contains("/org/schedgpu/"))
          .importJar(jar);
    }
  }

  @Test
  void theShippedJarHasNoPackageOfTheLab() throws IOException {
    Set<String> lab = new HashSet<>();
    for (Path module : modules(true)) {
      lab.addAll(packages(module));
    }
    Set<String> inJar = packagesOf(shipped());
    assertTrue(inJar.contains("org.schedgpu.agent"), inJar::toString);
    inJar.retainAll(lab);
    assertEquals(Set.of(), inJar);
  }

  /** From the entry point: the commands, the tasks of the agent, and what they use. */
  @Test
  void eachPackageOfTheShippedJarIsReachedFromItsCommands() throws IOException {
    JavaClasses classes = shipped();
    Set<JavaClass> reached = new HashSet<>();
    Deque<JavaClass> next = new ArrayDeque<>(List.of(classes.get("org.schedgpu.agent.Main")));
    while (!next.isEmpty()) {
      JavaClass c = next.pop();
      if (reached.add(c)) {
        c.getDirectDependenciesFromSelf().stream()
            .map(Dependency::getTargetClass)
            .map(JavaClass::getBaseComponentType)
            .filter(t -> classes.contain(t.getName()))
            .forEach(next::push);
      }
    }
    Set<String> unreached = packagesOf(classes);
    unreached.removeAll(packagesOf(reached));
    assertEquals(Set.of(), unreached);
  }

  private static Set<String> packagesOf(Iterable<JavaClass> classes) {
    Set<String> names = new TreeSet<>();
    for (JavaClass c : classes) {
      if (!c.getSimpleName().equals("package-info")) {
        names.add(c.getPackageName());
      }
    }
    return names;
  }
}
