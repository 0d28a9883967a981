package org.schedgpu.simulator;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Dependencies between packages point one way. */
class PackagesTest {
  @Test
  void noPackagesDependOnEachOtherInACircle() {
    slices()
        .matching("org.schedgpu.simulator.(*)..")
        .should()
        .beFreeOfCycles()
        .check(
            new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("org.schedgpu.simulator"));
  }
}
