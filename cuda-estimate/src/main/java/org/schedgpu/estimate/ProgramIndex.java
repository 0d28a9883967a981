package org.schedgpu.estimate;

import java.util.ArrayList;
import java.util.Arrays;
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
import org.eclipse.cdt.core.dom.ast.IASTFieldReference;
import org.eclipse.cdt.core.dom.ast.IASTFunctionCallExpression;
import org.eclipse.cdt.core.dom.ast.IASTFunctionDefinition;
import org.eclipse.cdt.core.dom.ast.IASTInitializer;
import org.eclipse.cdt.core.dom.ast.IASTInitializerClause;
import org.eclipse.cdt.core.dom.ast.IASTLiteralExpression;
import org.eclipse.cdt.core.dom.ast.IASTName;
import org.eclipse.cdt.core.dom.ast.IASTNamedTypeSpecifier;
import org.eclipse.cdt.core.dom.ast.IASTNode;
import org.eclipse.cdt.core.dom.ast.IASTProblem;
import org.eclipse.cdt.core.dom.ast.IASTSimpleDeclaration;
import org.eclipse.cdt.core.dom.ast.IASTStatement;
import org.eclipse.cdt.core.dom.ast.IASTTranslationUnit;
import org.eclipse.cdt.core.dom.ast.IASTUnaryExpression;
import org.eclipse.cdt.core.dom.ast.IArrayType;
import org.eclipse.cdt.core.dom.ast.IBinding;
import org.eclipse.cdt.core.dom.ast.IFunction;
import org.eclipse.cdt.core.dom.ast.IParameter;
import org.eclipse.cdt.core.dom.ast.IPointerType;
import org.eclipse.cdt.core.dom.ast.IProblemBinding;
import org.eclipse.cdt.core.dom.ast.IQualifierType;
import org.eclipse.cdt.core.dom.ast.ISemanticProblem;
import org.eclipse.cdt.core.dom.ast.IType;
import org.eclipse.cdt.core.dom.ast.IVariable;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTConstructorChainInitializer;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTConstructorInitializer;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTFunctionDefinition;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTInitializerList;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTRangeBasedForStatement;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTReferenceOperator;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPClassType;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPConstructor;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPField;
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
  private final Map<IBinding, List<IBinding>> calledOn = new HashMap<>();
  private final Set<IBinding> declaredInHeader = new HashSet<>();
  private boolean passesThis;

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

  /** The methods that are called on an object, by the name of its variable. */
  List<IBinding> calledOn(IBinding object) {
    return calledOn.getOrDefault(object, List.of());
  }

  /** True if a header declares a function that the source defines: others may call it. */
  boolean isForOthers(IBinding function) {
    return declaredInHeader.contains(function) && Tree.isInSource(definition(function));
  }

  /** True if {@code this} goes where it cannot be followed. */
  boolean passesThis() {
    return passesThis;
  }

  /** True if a member of objects of this type is changed. */
  boolean changesMembersOf(String type) {
    return writes.keySet().stream()
        .anyMatch(
            binding ->
                binding instanceof ICPPField field
                    && field.getClassOwner() != null
                    && field.getClassOwner().getName().equals(type));
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
      if (declaration instanceof ICPPASTFunctionDefinition constructor) {
        for (ICPPASTConstructorChainInitializer one : constructor.getMemberInitializers()) {
          IBinding member = Tree.general(one.getMemberInitializerId().resolveBinding());
          write(member, one, initial(one.getInitializer()));
        }
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
      if (binding instanceof IFunction && !Tree.isInSource(declarator)) {
        declaredInHeader.add(binding);
      }
      if (!(binding instanceof IFunction)) {
        variables.add(name.toString());
        declarators.add(declarator);
      }
      if (declarator.getInitializer() != null && !(binding instanceof IParameter)) {
        write(binding, declarator, initial(declarator.getInitializer()));
        visitInitializer(binding, declarator);
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
      } else if (expression instanceof IASTLiteralExpression literal
          && literal.getKind() == IASTLiteralExpression.lk_this) {
        passesThis |= !(literal.getParent() instanceof IASTFieldReference);
      }
      return PROCESS_CONTINUE;
    }

    @Override
    public int visit(IASTStatement statement) {
      if (statement instanceof ICPPASTRangeBasedForStatement loop
          && loop.getDeclaration() instanceof IASTSimpleDeclaration each
          && each.getDeclarators().length == 1
          && isReference(each.getDeclarators()[0])) {
        changed(loop.getInitializerClause(), loop);
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

  /** A reference may change what it names, and a constructor what it is given. */
  private void visitInitializer(IBinding binding, IASTDeclarator declarator) {
    IASTInitializer initializer = declarator.getInitializer();
    IType type = binding instanceof IVariable variable ? variable.getType() : null;
    if (isReference(declarator) && (type == null || mayChange(type))) {
      changed(FunctionCalls.single(initializer), declarator);
    }
    boolean isMade = type instanceof ICPPClassType || type instanceof ISemanticProblem;
    if (isMade && !isStandard(declarator)) {
      IASTInitializerClause[] given =
          initializer instanceof ICPPASTConstructorInitializer made
              ? made.getArguments()
              : initializer instanceof ICPPASTInitializerList list
                  ? list.getClauses()
                  : new IASTInitializerClause[0];
      for (int i = 0; i < given.length; i++) {
        if (!(type instanceof ICPPClassType known) || mayChange(known, i)) {
          changed(given[i], declarator);
        }
      }
    }
  }

  private static boolean isReference(IASTDeclarator declarator) {
    return Arrays.stream(declarator.getPointerOperators())
        .anyMatch(ICPPASTReferenceOperator.class::isInstance);
  }

  /** {@code std::vector<float> v(n)}. */
  private static boolean isStandard(IASTDeclarator declarator) {
    return declarator.getParent() instanceof IASTSimpleDeclaration declaration
        && declaration.getDeclSpecifier() instanceof IASTNamedTypeSpecifier named
        && (Readers.isNamed(named.getName())
            || Set.of("vector", "string", "array", "device_vector", "host_vector", "dim3")
                .contains(Tree.simple(named.getName())));
  }

  private static boolean mayChange(ICPPClassType type, int argument) {
    return Arrays.stream(type.getConstructors())
        .map(ICPPConstructor::getParameters)
        .anyMatch(all -> argument < all.length && mayChange(all[argument].getType()));
  }

  private void changed(IASTInitializerClause given, IASTNode where) {
    if (given instanceof IASTExpression expression) {
      changed(expression, where, null);
    }
  }

  private void visitCall(IASTFunctionCallExpression call) {
    calls.add(call);
    IASTName name = Tree.calledName(call);
    IBinding called = name == null ? null : Tree.general(name.resolveBinding());
    noteObject(call, called);
    IASTInitializerClause[] arguments = call.getArguments();
    if (!(called instanceof IFunction function) || called instanceof IProblemBinding) {
      visitUnknownCall(call, name, called);
      return;
    }
    callers.computeIfAbsent(function, any -> new ArrayList<>()).add(call);
    IParameter[] parameters = function.getParameters();
    for (int i = 0; i < Math.min(parameters.length, arguments.length); i++) {
      if (mayChange(parameters[i].getType())
          || (isArray(arguments[i]) && !pointsToConst(parameters[i].getType()))) {
        changed(arguments[i], call);
      }
    }
  }

  /** A function that no file given declares: it may take references. */
  private void visitUnknownCall(IASTFunctionCallExpression call, IASTName name, IBinding called) {
    if ((called instanceof IType && !(called instanceof IProblemBinding))
        || (name != null && READERS.contains(Tree.simple(name)))) {
      return;
    }
    boolean takesValues = (name != null && Readers.isNamed(name)) || Readers.isLaunch(call);
    for (IASTInitializerClause argument : call.getArguments()) {
      if (Tree.isName(argument) && (!takesValues || isArray(argument))) {
        changed(argument, call);
      }
    }
  }

  private void noteObject(IASTFunctionCallExpression call, IBinding called) {
    IASTExpression owner = Tree.plain(call.getFunctionNameExpression());
    if (called == null || !(owner instanceof IASTFieldReference)) {
      return;
    }
    while (owner instanceof IASTFieldReference reference) {
      owner = Tree.plain(reference.getFieldOwner());
    }
    IBinding object = Tree.variable(owner);
    if (object != null) {
      calledOn.computeIfAbsent(object, any -> new ArrayList<>()).add(called);
    }
  }

  private static boolean isArray(IASTInitializerClause argument) {
    return argument instanceof IASTExpression expression
        && Tree.variable(expression) instanceof IVariable variable
        && variable.getType() instanceof IArrayType;
  }

  private static boolean pointsToConst(IType type) {
    return type instanceof IPointerType pointer
        && pointer.getType() instanceof IQualifierType qualified
        && qualified.isConst();
  }

  private static boolean mayChange(IType type) {
    return type instanceof ICPPReferenceType reference
        && !(reference.getType() instanceof IQualifierType qualified && qualified.isConst());
  }
}
