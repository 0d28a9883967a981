package org.schedgpu.estimate;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.cdt.core.dom.ast.IASTTranslationUnit;
import org.eclipse.cdt.core.dom.parser.cpp.GPPParserExtensionConfiguration;
import org.eclipse.cdt.core.dom.parser.cpp.GPPScannerExtensionConfiguration;
import org.eclipse.cdt.core.parser.ExtendedScannerInfo;
import org.eclipse.cdt.core.parser.FileContent;
import org.eclipse.cdt.core.parser.NullLogService;
import org.eclipse.cdt.core.parser.ParserLanguage;
import org.eclipse.cdt.core.parser.ParserMode;
import org.eclipse.cdt.internal.core.dom.parser.cpp.GNUCPPSourceParser;
import org.eclipse.cdt.internal.core.parser.scanner.CPreprocessor;

/** Parses a CUDA source with Eclipse CDT's parser of C++. */
final class CudaParser {
  /** The file with CUDA's types, which is read before each source. */
  static final String PRELUDE = "/schedgpu-estimate/prelude.h";

  private final List<Path> folders;
  private final Map<String, String> macros;

  /**
   * A parser with these options.
   *
   * @param folders of {@code -I}
   * @param macros of {@code -D}, name and value
   */
  CudaParser(List<Path> folders, Map<String, String> macros) {
    this.folders = List.copyOf(folders);
    this.macros = Map.copyOf(macros);
  }

  /**
   * The syntax tree of a source. It contains the parts that cannot be parsed as problems.
   *
   * @throws SourceProblem if the source cannot be read
   */
  IASTTranslationUnit parse(Path file) {
    String text = SourceText.read(file);
    String[] include = folders.stream().map(Path::toString).toArray(String[]::new);
    ExtendedScannerInfo info =
        new ExtendedScannerInfo(
            new HashMap<>(macros), include, new String[0], new String[] {PRELUDE});
    CPreprocessor preprocessor =
        new CPreprocessor(
            FileContent.create(file.toAbsolutePath().normalize().toString(), text.toCharArray()),
            info,
            ParserLanguage.CPP,
            new NullLogService(),
            GPPScannerExtensionConfiguration.getInstance(),
            new Includes(prelude()));
    return new GNUCPPSourceParser(
            preprocessor,
            ParserMode.COMPLETE_PARSE,
            new NullLogService(),
            GPPParserExtensionConfiguration.getInstance(),
            null)
        .parse();
  }

  private static String prelude() {
    try (InputStream in = CudaParser.class.getResourceAsStream("prelude.h")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
