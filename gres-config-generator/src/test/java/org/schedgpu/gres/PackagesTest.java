package org.schedgpu.gres;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
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
import org.schedgpu.gres.common.WholeFile;

/** Dependencies between packages point one way. */
class PackagesTest {
  private static final String ROOT = "org.schedgpu.gres";
  private static final String COMMON = ROOT + ".common";

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(ROOT);

  @Test
  void noPackagesDependOnEachOtherInACircle() {
    slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void everyClassHasARoom() {
    noClasses().should().resideInAPackage(ROOT).check(CLASSES);
  }

  @Test
  void commonDependsOnNoOtherPart() {
    noClasses()
        .that()
        .resideInAPackage(COMMON)
        .should()
        .dependOnClassesThat(resideInAPackage("org.schedgpu..").and(not(resideInAPackage(COMMON))))
        .check(CLASSES);
  }

  /** Also root writes in folders of users: {@link WholeFile} follows no link there. */
  @Test
  void filesAreWrittenAsAWhole() {
    noClasses()
        .that()
        .haveNameNotMatching(".*\\.(WholeFile|CheckFolder|LuaCheck)")
        .should()
        .callMethodWhere(
            target(owner(type(Files.class)))
                .and(target(nameMatching("write.*|newOutputStream|newBufferedWriter|copy"))))
        .orShould()
        .callConstructorWhere(
            target(owner(type(FileOutputStream.class))).or(target(owner(type(FileWriter.class)))))
        .check(
            new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("org.schedgpu.gres"));
  }
}
