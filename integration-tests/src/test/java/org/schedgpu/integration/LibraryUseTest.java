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

/** Some libraries are used by one module only. Checks all built classes. */
class LibraryUseTest {
  private static List<Path> built() throws IOException {
    try (Stream<Path> modules = Files.list(Build.root())) {
      return modules
          .map(module -> module.resolve("target/classes/org/schedgpu"))
          .filter(Files::isDirectory)
          .toList();
    }
  }

  private static void onlyIn(String room, String library) throws IOException {
    JavaClasses classes = new ClassFileImporter().importPaths(built());
    assertTrue(classes.contain("org.schedgpu.jna.SchedGpu"), "nothing was built");
    noClasses()
        .that()
        .resideOutsideOfPackage(room)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library)
        .check(classes);
  }

  /** A wrong argument crashes the process. */
  @Test
  void oneModuleCallsNativeCode() throws IOException {
    onlyIn("org.schedgpu.jna..", "com.sun.jna..");
  }

  /** All pictures have the same colours, axes and legends. */
  @Test
  void oneModuleDrawsCharts() throws IOException {
    onlyIn("org.schedgpu.charts..", "org.knowm.xchart..");
  }
}
