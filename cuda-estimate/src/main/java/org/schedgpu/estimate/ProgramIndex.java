package org.schedgpu.estimate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.cdt.core.dom.ast.ASTVisitor;
import org.eclipse.cdt.core.dom.ast.IASTArraySubscriptExpression;
import org.eclipse.cdt.core.dom.ast.IASTBinaryExpression;
import org.eclipse.cdt.core.dom.ast.IASTDeclaration;
import org.eclipse.cdt.core.dom.ast.IASTDeclarator;
import org.eclipse.cdt.core.dom.ast.IASTEqualsInitializer;
import org.eclipse.cdt.core.dom.ast.IASTExpression;
import org.eclipse.cdt.core.dom.ast.IASTExpressionStatement;
import org.eclipse.cdt.core.dom.ast.IASTFunctionCallExpression;
import org.eclipse.cdt.core.dom.ast.IASTFunctionDefinition;
import org.eclipse.cdt.core.dom.ast.IASTInitializer;
import org.eclipse.cdt.core.dom.ast.IASTInitializerClause;
import org.eclipse.cdt.core.dom.ast.IASTName;
import org.eclipse.cdt.core.dom.ast.IASTNode;
import org.eclipse.cdt.core.dom.ast.IASTProblem;
import org.eclipse.cdt.core.dom.ast.IASTTranslationUnit;
import org.eclipse.cdt.core.dom.ast.IASTUnaryExpression;
import org.eclipse.cdt.core.dom.ast.IBinding;
import org.eclipse.cdt.core.dom.ast.IFunction;
import org.eclipse.cdt.core.dom.ast.IParameter;
import org.eclipse.cdt.core.dom.ast.IQualifierType;
import org.eclipse.cdt.core.dom.ast.IType;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTConstructorInitializer;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTInitializerList;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPReferenceType;

/** What a syntax tree says about variables and functions, collected once. */
final class ProgramIndex {
  /**
   * A place where a variable gets a value.
   *
   * @param node the place
   * @param value the expression; null if there is none, as with {@code +=} or scanf
   */
  record Write(IASTNode node, IASTInitializerClause value) {}

  /** Functions that only read what an address argument points to. */
  private static final Set<String> READERS =
      Set.of("cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync", "cuParamSetv", "setArg");

  private final Map<IBinding, List<Write>> writes = new HashMap<>();
  private final Map<IBinding, IASTFunctionDefinition> definitions = new HashMap<>();
  private final Map<IBinding, List<IASTFunctionCallExpression>> callers = new HashMap<>();
  private final List<IASTFunctionCallExpression> calls = new ArrayList<>();
  private final List<IASTDeclarator> declarators = new ArrayList<>();
  private final List<IASTProblem> problems = new ArrayList<>();
  private final Set<String> variables = new HashSet<>();

  /** Of one syntax tree. */
  ProgramIndex(IASTTranslationUnit tree) {
    tree.accept(new Collector());
  }

  /** The places where a variable gets a value. */
  List<Write> writes(IBinding variable) {
    return writes.getOrDefault(variable, List.of());
  }

  /** The body of a function; null if it is not in the given files. */
  IASTFunctionDefinition definition(IBinding function) {
    return definitions.get(function);
  }

  /** The expressions that call a function. */
  List<IASTFunctionCallExpression> callers(IBinding function) {
    return callers.getOrDefault(function, List.of());
  }

  /** All calls, in the order of the source. */
  List<IASTFunctionCallExpression> calls() {
    return calls;
  }

  /** All declarators of variables, in the order of the source. */
  List<IASTDeclarator> declarators() {
    return declarators;
  }

  /** The parts that cannot be parsed. */
  List<IASTProblem> problems() {
    return problems;
  }

  /** True if a variable, a field or a parameter has this name. */
  boolean hasVariable(String name) {
    return variables.contains(name);
  }

  private final class Collector extends ASTVisitor {
    Collector() {
      super(true);
    }

    @Override
    public int visit(IASTDeclaration declaration) {
      if (declaration instanceof IASTFunctionDefinition function) {
        definitions.put(
            Tree.general(function.getDeclarator().getName().resolveBinding()), function);
      }
      return PROCESS_CONTINUE;
    }

    @Override
    public int visit(IASTDeclarator declarator) {
      IASTName name = declarator.getName();
      if (name == null || name.toString().isEmpty()) {
        return PROCESS_CONTINUE;
      }
      IBinding binding = Tree.general(name.resolveBinding());
      if (!(binding instanceof IFunction)) {
        variables.add(name.toString());
        declarators.add(declarator);
      }
      if (declarator.getInitializer() != null && !(binding instanceof IParameter)) {
        write(binding, declarator, initial(declarator.getInitializer()));
      }
      return PROCESS_CONTINUE;
    }

    @Override
    public int visit(IASTExpression expression) {
      if (expression instanceof IASTBinaryExpression binary) {
        visitBinary(binary);
      } else if (expression instanceof IASTUnaryExpression unary) {
        visitUnary(unary);
      } else if (expression instanceof IASTFunctionCallExpression call) {
        visitCall(call);
      }
      return PROCESS_CONTINUE;
    }

    @Override
    public int visit(IASTProblem problem) {
      problems.add(problem);
      return PROCESS_CONTINUE;
    }
  }

  /** The one expression of an initializer, or its list of several; null if there is none. */
  private static IASTInitializerClause initial(IASTInitializer initializer) {
    if (initializer instanceof IASTEqualsInitializer equals) {
      return equals.getInitializerClause();
    }
    if (initializer instanceof ICPPASTConstructorInitializer constructor) {
      return constructor.getArguments().length == 1 ? constructor.getArguments()[0] : null;
    }
    return initializer instanceof ICPPASTInitializerList list ? list : null;
  }

  private void visitBinary(IASTBinaryExpression binary) {
    if (Tree.isAssignment(binary)) {
      boolean isPlain = binary.getOperator() == IASTBinaryExpression.op_assign;
      changed(binary.getOperand1(), binary, isPlain ? binary.getInitOperand2() : null);
    } else if (binary.getOperator() == IASTBinaryExpression.op_shiftRight
        && isOfStatement(binary)) {
      changed(binary.getOperand2(), binary, null);
    }
  }

  /** {@code in >> a >> b;} reads into variables; a shift uses its result. */
  private static boolean isOfStatement(IASTBinaryExpression shift) {
    IASTNode up = shift.getParent();
    while (up instanceof IASTBinaryExpression outer
        && outer.getOperator() == IASTBinaryExpression.op_shiftRight) {
      up = up.getParent();
    }
    return up instanceof IASTExpressionStatement;
  }

  private void visitUnary(IASTUnaryExpression unary) {
    switch (unary.getOperator()) {
      case IASTUnaryExpression.op_prefixIncr,
          IASTUnaryExpression.op_prefixDecr,
          IASTUnaryExpression.op_postFixIncr,
          IASTUnaryExpression.op_postFixDecr ->
          changed(unary.getOperand(), unary, null);
      case IASTUnaryExpression.op_amper -> {
        if (!isRead(unary)) {
          changed(unary.getOperand(), unary, null);
        }
      }
      default -> {}
    }
  }

  /** True if an address goes to a function that only reads, or to a list of kernel arguments. */
  private static boolean isRead(IASTUnaryExpression address) {
    IASTNode up = address.getParent();
    while (up instanceof IASTExpression && !(up instanceof IASTFunctionCallExpression)) {
      up = up.getParent();
    }
    if (up instanceof IASTFunctionCallExpression call) {
      IASTName name = Tree.calledName(call);
      return name != null && READERS.contains(Tree.simple(name));
    }
    return up instanceof ICPPASTInitializerList;
  }

  /** A write to an element changes the array. */
  private void changed(IASTExpression target, IASTNode where, IASTInitializerClause value) {
    IASTExpression plain = Tree.plain(target);
    boolean isElement = false;
    while (plain instanceof IASTArraySubscriptExpression element) {
      plain = Tree.plain(element.getArrayExpression());
      isElement = true;
    }
    write(Tree.variable(plain), where, isElement ? null : value);
  }

  private void write(IBinding variable, IASTNode where, IASTInitializerClause value) {
    if (variable != null) {
      writes.computeIfAbsent(variable, any -> new ArrayList<>()).add(new Write(where, value));
    }
  }

  private void visitCall(IASTFunctionCallExpression call) {
    calls.add(call);
    IASTName name = Tree.calledName(call);
    if (name == null || !(Tree.general(name.resolveBinding()) instanceof IFunction function)) {
      return;
    }
    callers.computeIfAbsent(function, any -> new ArrayList<>()).add(call);
    IParameter[] parameters = function.getParameters();
    IASTInitializerClause[] arguments = call.getArguments();
    for (int i = 0; i < Math.min(parameters.length, arguments.length); i++) {
      if (mayChange(parameters[i].getType()) && arguments[i] instanceof IASTExpression given) {
        changed(given, call, null);
      }
    }
  }

  private static boolean mayChange(IType type) {
    return type instanceof ICPPReferenceType reference
        && !(reference.getType() instanceof IQualifierType qualified && qualified.isConst());
  }
}
