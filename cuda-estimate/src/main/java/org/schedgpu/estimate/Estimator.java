package org.schedgpu.estimate;

import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.eclipse.cdt.core.dom.ast.IASTTranslationUnit;

/**
 * Sizes of the device memory that CUDA sources allocate. Question and answer are plain maps,
 * because the caller loads this class from a jar of its own.
 *
 * <p>The question has {@code files} and {@code folders} (lists of paths) and {@code defined} (a map
 * of names and values), and perhaps {@code undefined} (a list of macros). The answer has {@code
 * allocations}, {@code problems} (files that cannot be read or parsed, in words), {@code frees},
 * {@code knownBytes} and {@code unknown} (how many).
 */
public final class Estimator implements Function<Map<String, Object>, Map<String, Object>> {
  /** The parser descends once for each level of nesting. */
  private static final long STACK_BYTES = 64L << 20;

  /** Made by reflection. */
  public Estimator() {}

  @Override
  public Map<String, Object> apply(Map<String, Object> question) {
    List<Path> folders = texts(question, "folders").stream().map(Path::of).toList();
    Map<String, String> defined = new HashMap<>();
    ((Map<?, ?>) question.get("defined"))
        .forEach((name, value) -> defined.put(name.toString(), value.toString()));
    List<String> undefined =
        question.containsKey("undefined") ? texts(question, "undefined") : List.of();
    List<Allocation> allocations = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    int frees = 0;
    for (String file : texts(question, "files")) {
      try {
        SourceEstimate estimate =
            inDeepStack(() -> one(Path.of(file), folders, defined, undefined), file);
        allocations.addAll(estimate.allocations());
        frees += estimate.frees();
      } catch (SourceProblem problem) {
        problems.add(problem.getMessage());
      }
    }
    return answer(allocations, problems, frees);
  }

  private static List<String> texts(Map<String, Object> question, String key) {
    return ((List<?>) question.get(key)).stream().map(Object::toString).toList();
  }

  /**
   * If a variable has a name given with {@code -D}, the value is that of the variable; other names
   * are macros.
   */
  private static SourceEstimate one(
      Path file, List<Path> folders, Map<String, String> defined, List<String> undefined) {
    Map<String, String> macros = new HashMap<>();
    Map<String, Value> assumed = new HashMap<>();
    if (!defined.isEmpty()) {
      ProgramIndex plain = new ProgramIndex(new CudaParser(folders, Map.of()).parse(file));
      defined.forEach(
          (name, value) -> {
            if (plain.hasVariable(name)) {
              assumed.put(name, Literals.integer(value.toLowerCase(Locale.ROOT)));
            } else {
              macros.put(name, value);
            }
          });
    }
    IASTTranslationUnit tree = new CudaParser(folders, macros).parse(file);
    Set<String> decided = new HashSet<>(undefined);
    decided.addAll(macros.keySet());
    return new SourceEstimate(file, tree, new ProgramIndex(tree), assumed, decided);
  }

  private static SourceEstimate inDeepStack(
      java.util.function.Supplier<SourceEstimate> work, String file) {
    List<SourceEstimate> result = new ArrayList<>();
    List<Throwable> failure = new ArrayList<>();
    Thread thread =
        new Thread(null, () -> result.add(work.get()), "schedgpu-estimate", STACK_BYTES);
    thread.setUncaughtExceptionHandler((any, problem) -> failure.add(problem));
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new SourceProblem(file + ": interrupted", stopped);
    }
    if (!failure.isEmpty()) {
      throw problem(file, failure.get(0));
    }
    return result.get(0);
  }

  private static SourceProblem problem(String file, Throwable failure) {
    if (failure instanceof SourceProblem known) {
      return known;
    }
    String why =
        failure instanceof StackOverflowError
            ? "its code is nested too deeply"
            : failure instanceof OutOfMemoryError
                ? "it needs too much memory: its macros or its code are too large"
                : "the parser fails on it (" + failure.getClass().getSimpleName() + ")";
    return new SourceProblem(file + ": " + why, failure);
  }

  private static Map<String, Object> answer(
      List<Allocation> allocations, List<String> problems, int frees) {
    BigInteger known =
        allocations.stream()
            .filter(one -> one.bytes().isKnown())
            .map(one -> one.bytes().integer())
            .reduce(BigInteger.ZERO, BigInteger::add);
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("allocations", allocations.stream().map(Allocation::toMap).toList());
    answer.put("problems", problems);
    answer.put("frees", frees);
    answer.put("knownBytes", known.min(BigInteger.valueOf(Long.MAX_VALUE)).longValue());
    answer.put("unknown", allocations.stream().filter(one -> !one.bytes().isKnown()).count());
    return answer;
  }
}
