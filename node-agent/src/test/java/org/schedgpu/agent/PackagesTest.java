package org.schedgpu.agent;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.FileOutputStream;
import java.io.FileWriter;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.common.Subprocess;
import org.schedgpu.gres.common.WholeFile;

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

  /** Also root writes in folders of users: {@link WholeFile} follows no link there. */
  @Test
  void filesAreWrittenAsAWhole() {
    noClasses()
        .should()
        .callMethodWhere(
            target(owner(type(Files.class)))
                .and(target(nameMatching("write.*|newOutputStream|newBufferedWriter|copy"))))
        .orShould()
        .callConstructorWhere(
            target(owner(type(FileOutputStream.class))).or(target(owner(type(FileWriter.class)))))
        .check(CLASSES);
  }

  /**
   * Also in the modules below: {@link Subprocess} has a limit of time and output, and kills the
   * children.
   */
  @Test
  void programsAreRunInOneWay() {
    noClasses()
        .that()
        .doNotBelongToAnyOf(Subprocess.class)
        .should()
        .dependOnClassesThat()
        .areAssignableTo(ProcessBuilder.class)
        .check(
            new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages(
                    ROOT, "org.schedgpu.gres", "org.schedgpu.simulator", "org.schedgpu.jna"));
  }
}
