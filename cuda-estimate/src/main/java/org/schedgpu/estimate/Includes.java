package org.schedgpu.estimate;

import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.cdt.core.index.IIndexFileLocation;
import org.eclipse.cdt.internal.core.parser.IMacroDictionary;
import org.eclipse.cdt.internal.core.parser.scanner.CharArray;
import org.eclipse.cdt.internal.core.parser.scanner.InternalFileContent;
import org.eclipse.cdt.internal.core.parser.scanner.InternalFileContentProvider;

/** Finds included files beside the source and in the folders of {@code -I}; others are skipped. */
final class Includes extends InternalFileContentProvider {
  /** Of all files that a source includes, together. */
  private static final long MAX_CHARACTERS = 8L * 1024 * 1024;

  private final String prelude;
  private long characters;

  /**
   * For one source.
   *
   * @param prelude text of the file {@link CudaParser#PRELUDE}
   */
  Includes(String prelude) {
    this.prelude = prelude;
  }

  @Override
  public boolean getInclusionExists(String path) {
    return path.equals(CudaParser.PRELUDE) || Files.isRegularFile(Path.of(path));
  }

  @Override
  public InternalFileContent getContentForInclusion(String path, IMacroDictionary macros) {
    if (path.equals(CudaParser.PRELUDE)) {
      return content(path, prelude);
    }
    if (!getInclusionExists(path)) {
      return null;
    }
    String text = SourceText.read(Path.of(path));
    characters += text.length();
    if (characters > MAX_CHARACTERS) {
      throw new SourceProblem(path + ": the included files are larger than 8 MiB together");
    }
    return content(path, text);
  }

  @Override
  public InternalFileContent getContentForInclusion(IIndexFileLocation location, String path) {
    return null;
  }

  private static InternalFileContent content(String path, String text) {
    return new InternalFileContent(path, new CharArray(text));
  }
}
