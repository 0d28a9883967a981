package org.schedgpu.integration;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Only one module uses JNA, because a wrong argument crashes the process. Checks all built classes.
 */
class NativeCallsTest {
  private static final String JNA = "com.sun.jna..";
  private static final String ROOM = "org.schedgpu.jna..";

  private static List<Path> built() throws IOException {
    try (Stream<Path> modules = Files.list(Build.root())) {
      return modules
          .map(module -> module.resolve("target/classes/org/schedgpu"))
          .filter(Files::isDirectory)
          .toList();
    }
  }

  @Test
  void oneModuleCallsNativeCode() throws IOException {
    JavaClasses classes = new ClassFileImporter().importPaths(built());
    assertTrue(classes.contain("org.schedgpu.jna.SchedGpu"), "nothing was built");
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOM)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(JNA)
        .check(classes);
  }
}
