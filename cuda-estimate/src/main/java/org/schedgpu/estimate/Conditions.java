package org.schedgpu.estimate;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.cdt.core.dom.ast.IASTLiteralExpression;
import org.eclipse.cdt.core.dom.ast.IASTMacroExpansionLocation;
import org.eclipse.cdt.core.dom.ast.IASTName;
import org.eclipse.cdt.core.dom.ast.IASTNodeLocation;
import org.eclipse.cdt.core.dom.ast.IASTPreprocessorElifStatement;
import org.eclipse.cdt.core.dom.ast.IASTPreprocessorElseStatement;
import org.eclipse.cdt.core.dom.ast.IASTPreprocessorIfStatement;
import org.eclipse.cdt.core.dom.ast.IASTPreprocessorIfdefStatement;
import org.eclipse.cdt.core.dom.ast.IASTPreprocessorIfndefStatement;
import org.eclipse.cdt.core.dom.ast.IASTPreprocessorMacroDefinition;
import org.eclipse.cdt.core.dom.ast.IASTPreprocessorStatement;
import org.eclipse.cdt.core.dom.ast.IASTTranslationUnit;

/**
 * Conditional compilation that the files given do not decide: an {@code #if} with macros that none
 * of them defines. What is left out there may be compiled, and set other values.
 */
final class Conditions {
  private static final Pattern COMMENT_OR_STRING =
      Pattern.compile("\"(?:[^\"\\\\\\n]|\\\\.)*+\"|/\\*.*?\\*/|//[^\\n]*", Pattern.DOTALL);
  private static final Pattern DIRECTIVE =
      Pattern.compile("\\s*#\\s*(if|ifdef|ifndef|elif|else|endif)\\b(.*)");
  private static final Pattern WORD = Pattern.compile("\\b[A-Za-z_]\\w*");
  private static final Pattern SET =
      Pattern.compile(
          "#\\s*(?:define|undef)\\s+(\\w+)|(\\w+)\\s*(?:\\[[^\\]]*\\]\\s*)?(?:[-+*/%&|^]|<<|>>)?=(?!=)"
              + "|typedef\\b.*\\b(\\w+)\\s*;|&\\s*(\\w+)|(\\w+)\\s*(?:\\+\\+|--)");

  /** Names of compilers and platforms, which are not those of nvcc on Linux. */
  private static final Pattern OF_COMPILERS =
      Pattern.compile(
          "__.*|_?WIN(32|64)|_MSC_VER|_OPENMP|_(GNU|POSIX|XOPEN)_.*|defined|true|false");

  private final Set<String> known = new HashSet<>();
  private final Map<String, Map<Integer, Boolean>> taken = new HashMap<>();
  private final Map<String, String> doubtful = new HashMap<>();
  private final Map<String, Map<Integer, String>> allocations = new TreeMap<>();

  /** A conditional: whether the present branch is compiled, and whether that is certain. */
  private static final class Branch {
    private final String where;
    private boolean isActive;
    private boolean isDoubtful;

    Branch(String where) {
      this.where = where;
    }
  }

  /**
   * Of one syntax tree.
   *
   * @param given macros that the user says are defined or not
   */
  Conditions(IASTTranslationUnit tree, Set<String> given) {
    known.addAll(given);
    for (IASTPreprocessorMacroDefinition macro : tree.getMacroDefinitions()) {
      known.add(macro.getName().toString());
    }
    for (IASTPreprocessorMacroDefinition macro : tree.getBuiltinMacroDefinitions()) {
      known.add(macro.getName().toString());
    }
    for (IASTPreprocessorStatement statement : tree.getAllPreprocessorStatements()) {
      Boolean isTaken = taken(statement);
      if (isTaken != null && statement.getFileLocation() != null) {
        taken
            .computeIfAbsent(statement.getFileLocation().getFileName(), any -> new HashMap<>())
            .put(Tree.line(statement), isTaken);
      }
    }
    taken.forEach(this::read);
  }

  private static Boolean taken(IASTPreprocessorStatement statement) {
    return statement instanceof IASTPreprocessorIfStatement one
        ? one.taken()
        : statement instanceof IASTPreprocessorIfdefStatement one
            ? Boolean.valueOf(one.taken())
            : statement instanceof IASTPreprocessorIfndefStatement one
                ? Boolean.valueOf(one.taken())
                : statement instanceof IASTPreprocessorElifStatement one
                    ? Boolean.valueOf(one.taken())
                    : statement instanceof IASTPreprocessorElseStatement one
                        ? Boolean.valueOf(one.taken())
                        : null;
  }

  private void read(String file, Map<Integer, Boolean> takenAt) {
    if (!Files.isRegularFile(Path.of(file))) {
      return;
    }
    String[] lines = withoutComments(SourceText.read(Path.of(file))).split("\n", -1);
    Deque<Branch> open = new ArrayDeque<>();
    for (int i = 0; i < lines.length; i++) {
      Matcher directive = DIRECTIVE.matcher(lines[i]);
      if (directive.matches()) {
        boolean isTaken = takenAt.getOrDefault(i + 1, false);
        directive(directive.group(1), directive.group(2), i + 1, isTaken, open);
      } else {
        Branch out = leftOutBy(open);
        if (out != null && out.isDoubtful) {
          leftOut(file, i + 1, lines[i], out.where);
        }
      }
    }
  }

  private void directive(
      String kind, String condition, int line, boolean isTaken, Deque<Branch> open) {
    if (kind.startsWith("if")) {
      boolean isReached = leftOutBy(open) == null;
      Branch branch = new Branch("#" + kind + condition.stripTrailing() + " in line " + line);
      branch.isActive = isTaken;
      branch.isDoubtful = isReached && isUndecided(condition);
      open.addLast(branch);
    } else if (kind.equals("endif")) {
      open.pollLast();
    } else if (!open.isEmpty()) {
      Branch branch = open.peekLast();
      branch.isDoubtful |= !branch.isActive && isUndecided(condition);
      branch.isActive = isTaken;
    }
  }

  private boolean isUndecided(String condition) {
    return WORD.matcher(condition)
        .results()
        .map(word -> word.group())
        .anyMatch(word -> !known.contains(word) && !OF_COMPILERS.matcher(word).matches());
  }

  /** The outermost branch that is not compiled; null if all are. */
  private static Branch leftOutBy(Deque<Branch> open) {
    for (Iterator<Branch> all = open.iterator(); all.hasNext(); ) {
      Branch branch = all.next();
      if (!branch.isActive) {
        return branch;
      }
    }
    return null;
  }

  private void leftOut(String file, int line, String text, String where) {
    for (Matcher set = SET.matcher(text); set.find(); ) {
      for (int group = 1; group <= set.groupCount(); group++) {
        if (set.group(group) != null) {
          doubtful.putIfAbsent(set.group(group), where);
        }
      }
    }
    if (!text.contains("#") && Allocator.isNamedIn(text)) {
      allocations.computeIfAbsent(file, any -> new TreeMap<>()).put(line, where);
    }
  }

  private static String withoutComments(String text) {
    return COMMENT_OR_STRING
        .matcher(text)
        .replaceAll(
            found ->
                found.group().startsWith("\"") ? "\"\"" : found.group().replaceAll("[^\\n]", ""));
  }

  /** By file and line, the lines that allocate where the files do not decide, and the condition. */
  Map<String, Map<Integer, String>> allocations() {
    return allocations;
  }

  /** Why a name may have another value; null if it cannot. */
  String why(String name) {
    String where = doubtful.get(name);
    return where == null ? null : name + " depends on " + where + ", which no file given decides";
  }

  /** The same of the macros that a literal comes from. */
  String why(IASTLiteralExpression literal) {
    if (doubtful.isEmpty()) {
      return null;
    }
    for (IASTNodeLocation location : literal.getNodeLocations()) {
      if (location instanceof IASTMacroExpansionLocation expansion) {
        var macro = expansion.getExpansion();
        String why = why(macro.getMacroReference().toString());
        for (IASTName nested : macro.getNestedMacroReferences()) {
          why = why == null ? why(nested.toString()) : why;
        }
        if (why != null) {
          return why;
        }
      }
    }
    return null;
  }
}
