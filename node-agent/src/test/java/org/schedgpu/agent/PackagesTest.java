package org.schedgpu.agent;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Dependencies between packages point one way. */
class PackagesTest {
  private static final String ROOT = "org.schedgpu.agent";

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(ROOT);

  @Test
  void noPackagesDependOnEachOtherInACircle() {
    slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  /** A status must come at once, and needs nothing for a screen. */
  @Test
  void statusDoesNotDependOnTop() {
    noClasses()
        .that()
        .resideInAPackage(ROOT + ".status")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(ROOT + ".top")
        .check(CLASSES);
  }

  /** The entry point combines the parts; no part knows it. */
  @Test
  void noPartDependsOnTheEntry() {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(ROOT)
        .check(CLASSES);
  }
}
