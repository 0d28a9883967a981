package org.schedgpu.estimate;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.cdt.core.dom.ast.IASTBinaryExpression;
import org.eclipse.cdt.core.dom.ast.IASTDeclarator;
import org.eclipse.cdt.core.dom.ast.IASTFileLocation;
import org.eclipse.cdt.core.dom.ast.IASTFunctionCallExpression;
import org.eclipse.cdt.core.dom.ast.IASTInitializerClause;
import org.eclipse.cdt.core.dom.ast.IASTName;
import org.eclipse.cdt.core.dom.ast.IASTNamedTypeSpecifier;
import org.eclipse.cdt.core.dom.ast.IASTNode;
import org.eclipse.cdt.core.dom.ast.IASTProblem;
import org.eclipse.cdt.core.dom.ast.IASTSimpleDeclaration;
import org.eclipse.cdt.core.dom.ast.IASTStatement;
import org.eclipse.cdt.core.dom.ast.IASTTranslationUnit;
import org.eclipse.cdt.core.dom.ast.IASTTypeId;
import org.eclipse.cdt.core.dom.ast.IBinding;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTConstructorInitializer;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTTemplateId;

/** The allocations of one source and of what it includes. */
final class SourceEstimate {
  private final Path source;
  private final String path;
  private final ProgramIndex index;
  private final Evaluator evaluator;
  private final Loops loops;
  private final CallSizes sizes;
  private final List<Allocation> allocations = new ArrayList<>();
  private int frees;

  /**
   * Of one syntax tree.
   *
   * @param source as the user named it
   * @param assumed values of variables by name
   * @param decided macros that the user says are defined or not
   */
  SourceEstimate(
      Path source,
      IASTTranslationUnit tree,
      ProgramIndex index,
      Map<String, Value> assumed,
      Set<String> decided) {
    this.source = source;
    this.path = tree.getFilePath();
    this.index = index;
    Conditions conditions = new Conditions(tree, decided);
    this.evaluator = new Evaluator(index, assumed, conditions);
    this.loops = new Loops(index, evaluator);
    this.sizes = new CallSizes(index, evaluator);
    index.calls().forEach(this::add);
    index.declarators().forEach(this::add);
    index.problems().forEach(this::add);
    conditions.allocations().forEach(this::add);
    allocations.sort(Comparator.comparing(Allocation::file).thenComparing(Allocation::line));
  }

  /** In the order of files and lines. */
  List<Allocation> allocations() {
    return allocations;
  }

  /** How many calls free memory. */
  int frees() {
    return frees;
  }

  private void add(IASTFunctionCallExpression call) {
    IASTName name = Tree.calledName(call);
    String simple = name == null ? "" : Tree.simple(name);
    if (Allocator.isFree(simple)) {
      frees++;
    }
    Allocator.Shape shape = Allocator.of(simple);
    if (shape != null) {
      IBinding target =
          call.getArguments().length > 0
                  && call.getArguments()[0]
                      instanceof org.eclipse.cdt.core.dom.ast.IASTExpression first
              ? Tree.variable(first)
              : null;
      Value bytes =
          total(call, loop -> isFreedIn(loop, target), frame -> sizes.of(call, shape, frame));
      if (bytes.isKnown()
          && bytes.integer().signum() == 0
          && total(call, loop -> false, frame -> Value.of(1)).isTrue()) {
        bytes = Value.unknown("its size is 0 in the files given: code elsewhere must set it");
      }
      allocations.add(allocation(call, simple, bytes));
    }
  }

  /** {@code thrust::device_vector<T> name(n)}. */
  private void add(IASTDeclarator declarator) {
    if (!(declarator.getParent() instanceof IASTSimpleDeclaration declaration)
        || !(declaration.getDeclSpecifier() instanceof IASTNamedTypeSpecifier type)
        || !Tree.simple(type.getName()).equals("device_vector")
        || declarator.getPointerOperators().length > 0) {
      return;
    }
    Value bytes =
        total(declarator, loop -> true, frame -> vector(declarator, type.getName(), frame));
    allocations.add(allocation(declarator, "device_vector", bytes));
  }

  private Value vector(IASTDeclarator declarator, IASTName type, Frame frame) {
    if (!(declarator.getInitializer() instanceof ICPPASTConstructorInitializer made)
        || !(type.getLastName() instanceof ICPPASTTemplateId template)
        || !(template.getTemplateArguments()[0] instanceof IASTTypeId element)) {
      return Value.unknown("its size is not where it is declared");
    }
    IASTInitializerClause count = made.getArguments()[0];
    Value size = new TypeSizes(frame.templates()).of(FunctionCalls.type(element));
    return CallSizes.rounded(
        Arithmetic.apply(
            IASTBinaryExpression.op_multiply, evaluator.of(count, frame).truncated(), size));
  }

  /** The sum over all ways in which the function of a node is called. */
  private Value total(
      IASTNode node,
      java.util.function.Predicate<IASTStatement> runsOnce,
      java.util.function.Function<Frame, Value> amount) {
    Value sum = Value.of(0);
    for (Frame frame : new FunctionCalls(index, evaluator).frames(Tree.functionOf(node), loops)) {
      Value once = loops.total(node, frame, runsOnce, amount);
      Value all = Arithmetic.apply(IASTBinaryExpression.op_multiply, once, frame.count());
      sum = Arithmetic.apply(IASTBinaryExpression.op_plus, sum, all);
    }
    return sum;
  }

  /** True if each turn of a loop frees what it allocates. */
  private boolean isFreedIn(IASTStatement loop, IBinding target) {
    return target != null
        && index.calls().stream()
            .filter(call -> Tree.calledName(call) != null && call.getArguments().length > 0)
            .filter(call -> Allocator.isFree(Tree.simple(Tree.calledName(call))))
            .filter(call -> Tree.isInside(call, loop))
            .anyMatch(
                call ->
                    call.getArguments()[0]
                            instanceof org.eclipse.cdt.core.dom.ast.IASTExpression freed
                        && target.equals(Tree.variable(freed)));
  }

  private void add(IASTProblem problem) {
    String text = problem.getRawSignature();
    if (Allocator.isNamedIn(text)) {
      allocations.add(
          allocation(problem, "unparsed code", Value.unknown("this code cannot be parsed")));
    }
  }

  private void add(String file, Map<Integer, String> conditions) {
    conditions.forEach(
        (line, condition) ->
            allocations.add(
                new Allocation(
                    file.equals(path) ? source.toString() : file,
                    line,
                    "conditional code",
                    condition,
                    Value.unknown(
                        "no file given decides "
                            + condition
                            + ": give -D, or -U, for its names"))));
  }

  private Allocation allocation(IASTNode node, String call, Value bytes) {
    IASTFileLocation location = node.getFileLocation();
    String file = location == null ? path : location.getFileName();
    return new Allocation(
        file.equals(path) ? source.toString() : file,
        Tree.line(node),
        call,
        Tree.text(node),
        bytes);
  }
}
