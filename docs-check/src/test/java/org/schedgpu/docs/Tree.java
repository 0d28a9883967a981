package org.schedgpu.docs;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/** The files of the project, without the output of builds. */
final class Tree {
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private Tree() {}

  static List<Path> files(Predicate<String> wanted) throws IOException {
    return entries((file, attributes) -> attributes.isRegularFile() && wanted.test(name(file)));
  }

  static List<Path> symbolicLinks() throws IOException {
    return entries((file, attributes) -> attributes.isSymbolicLink());
  }

  /** Skips the folders of builds, because tests that run at the same time change them. */
  private static List<Path> entries(BiPredicate<Path, BasicFileAttributes> wanted)
      throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            boolean entered = folder.equals(ROOT) || !isBuilt(folder.getFileName().toString());
            return entered ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (wanted.test(file, attributes)) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException gone) {
            return FileVisitResult.CONTINUE;
          }
        });
    Collections.sort(files);
    return files;
  }

  private static boolean isBuilt(String name) {
    return name.equals("target") || name.equals("shared") || name.startsWith(".");
  }

  static String name(Path file) {
    return ROOT.relativize(file).toString();
  }

  static List<Path> pages() throws IOException {
    return files(n -> n.endsWith(".md"));
  }
}
