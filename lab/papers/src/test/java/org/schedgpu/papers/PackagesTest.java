package org.schedgpu.papers;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The papers do not know each other; arrows between packages point one way. */
class PackagesTest {
  private final JavaClasses classes =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("org.schedgpu.papers");

  @Test
  void noPackagesDependOnEachOtherInACircle() {
    slices().matching("org.schedgpu.papers.(*)..").should().beFreeOfCycles().check(classes);
  }

  @Test
  void papersDoNotDependOnEachOther() {
    slices()
        .matching("org.schedgpu.papers.(paper*)..")
        .should()
        .notDependOnEachOther()
        .check(classes);
  }
}
