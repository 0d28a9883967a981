package org.schedgpu.estimate;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.cdt.core.dom.ast.IASTArraySubscriptExpression;
import org.eclipse.cdt.core.dom.ast.IASTBinaryExpression;
import org.eclipse.cdt.core.dom.ast.IASTCastExpression;
import org.eclipse.cdt.core.dom.ast.IASTConditionalExpression;
import org.eclipse.cdt.core.dom.ast.IASTExpression;
import org.eclipse.cdt.core.dom.ast.IASTFunctionCallExpression;
import org.eclipse.cdt.core.dom.ast.IASTInitializerClause;
import org.eclipse.cdt.core.dom.ast.IASTLiteralExpression;
import org.eclipse.cdt.core.dom.ast.IASTName;
import org.eclipse.cdt.core.dom.ast.IASTNamedTypeSpecifier;
import org.eclipse.cdt.core.dom.ast.IASTTypeIdExpression;
import org.eclipse.cdt.core.dom.ast.IASTUnaryExpression;
import org.eclipse.cdt.core.dom.ast.IBasicType;
import org.eclipse.cdt.core.dom.ast.IBinding;
import org.eclipse.cdt.core.dom.ast.IEnumerator;
import org.eclipse.cdt.core.dom.ast.IParameter;
import org.eclipse.cdt.core.dom.ast.IProblemBinding;
import org.eclipse.cdt.core.dom.ast.IQualifierType;
import org.eclipse.cdt.core.dom.ast.IType;
import org.eclipse.cdt.core.dom.ast.ITypedef;
import org.eclipse.cdt.core.dom.ast.IValue;
import org.eclipse.cdt.core.dom.ast.IVariable;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTInitializerList;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTSimpleTypeConstructorExpression;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPTemplateNonTypeParameter;

/** Evaluates expressions where all that they use is constant in the files given. */
final class Evaluator {
  private static final int MAX_DEPTH = 200;
  private static final int MAX_STEPS = 200_000;

  private final ProgramIndex index;
  private final Map<String, Value> assumed;
  private final MathCalls math = new MathCalls(this);
  private final FunctionCalls functions;
  private final Elsewhere elsewhere;
  private final Conditions conditions;
  private final Set<IBinding> open = new HashSet<>();
  private int depth;
  private int steps;

  /**
   * For one source.
   *
   * @param assumed values of variables by name, as the user gave them
   * @param conditions of the same source
   */
  Evaluator(ProgramIndex index, Map<String, Value> assumed, Conditions conditions) {
    this.conditions = conditions;
    this.index = index;
    this.assumed = Map.copyOf(assumed);
    this.functions = new FunctionCalls(index, this);
    this.elsewhere = new Elsewhere(index);
  }

  /** The value of an expression in a call of its function. */
  Value of(IASTInitializerClause clause, Frame frame) {
    if (depth >= MAX_DEPTH) {
      return Value.unknown("an expression is nested too deeply");
    }
    if (++steps > MAX_STEPS) {
      return Value.unknown("the source needs too many steps to evaluate");
    }
    depth++;
    try {
      return clause instanceof ICPPASTInitializerList list
          ? ofList(list, frame)
          : clause instanceof IASTExpression expression
              ? ofExpression(expression, frame)
              : Value.unknown("no value");
    } finally {
      depth--;
    }
  }

  private Value ofList(ICPPASTInitializerList list, Frame frame) {
    return list.getClauses().length == 1
        ? of(list.getClauses()[0], frame)
        : Value.unknown("a list of values");
  }

  private Value ofExpression(IASTExpression expression, Frame frame) {
    if (expression instanceof IASTLiteralExpression literal) {
      String why = conditions.why(literal);
      return why == null ? Literals.of(literal) : Value.unknown(why);
    }
    if (expression instanceof IASTUnaryExpression unary) {
      return ofUnary(unary, frame);
    }
    if (expression instanceof IASTBinaryExpression binary) {
      return ofBinary(binary, frame);
    }
    if (expression instanceof IASTCastExpression cast) {
      return as(cast.getExpressionType(), of(cast.getOperand(), frame));
    }
    if (expression instanceof ICPPASTSimpleTypeConstructorExpression made) {
      IASTInitializerClause inner = FunctionCalls.single(made.getInitializer());
      return inner == null ? unknown(made) : as(made.getExpressionType(), of(inner, frame));
    }
    if (expression instanceof IASTTypeIdExpression typeId) {
      String why =
          typeId.getTypeId().getDeclSpecifier() instanceof IASTNamedTypeSpecifier named
              ? conditions.why(Tree.simple(named.getName()))
              : null;
      if (why != null) {
        return Value.unknown(why);
      }
      return typeId.getOperator() == IASTTypeIdExpression.op_sizeof
          ? new TypeSizes(frame.templates()).of(FunctionCalls.type(typeId.getTypeId()))
          : unknown(typeId);
    }
    if (expression instanceof IASTConditionalExpression conditional) {
      return ofConditional(conditional, frame);
    }
    if (expression instanceof IASTFunctionCallExpression call) {
      IASTName name = Tree.calledName(call);
      if (call.getArguments().length == 1
          && name != null
          && name.resolveBinding() instanceof IType type
          && !(type instanceof IProblemBinding)) {
        return as(type, of(call.getArguments()[0], frame));
      }
      Value value = math.of(call, frame);
      return value == null ? functions.of(call, frame) : value;
    }
    if (expression instanceof IASTArraySubscriptExpression element) {
      return ofElement(element, frame);
    }
    IBinding variable = Tree.variable(expression);
    if (variable == null) {
      return unknown(expression);
    }
    String why = assumed.containsKey(variable.getName()) ? null : elsewhere.whyMember(expression);
    return why == null ? ofName(variable, frame) : Value.unknown(why);
  }

  private static Value unknown(IASTExpression expression) {
    return Value.unknown(Tree.text(expression) + " is known only when the program runs");
  }

  private Value ofUnary(IASTUnaryExpression unary, Frame frame) {
    IASTExpression operand = unary.getOperand();
    if (unary.getOperator() == IASTUnaryExpression.op_sizeof) {
      return new TypeSizes(frame.templates()).of(operand.getExpressionType());
    }
    Value value = of(operand, frame);
    if (!value.isKnown()) {
      return value;
    }
    return switch (unary.getOperator()) {
      case IASTUnaryExpression.op_bracketedPrimary, IASTUnaryExpression.op_plus -> value;
      case IASTUnaryExpression.op_minus ->
          value.isInteger() ? Value.of(value.integer().negate()) : Value.real(-value.number());
      case IASTUnaryExpression.op_not -> Value.of(!value.isTrue());
      case IASTUnaryExpression.op_tilde ->
          value.isInteger() ? Value.of(value.integer().not()) : unknown(unary);
      default -> unknown(unary);
    };
  }

  private Value ofBinary(IASTBinaryExpression binary, Frame frame) {
    if (Tree.isAssignment(binary)) {
      return binary.getOperator() == IASTBinaryExpression.op_assign
          ? of(binary.getInitOperand2(), frame)
          : unknown(binary);
    }
    Value left = of(binary.getOperand1(), frame);
    Value right = of(binary.getOperand2(), frame);
    boolean isAnd = binary.getOperator() == IASTBinaryExpression.op_logicalAnd;
    boolean isOr = binary.getOperator() == IASTBinaryExpression.op_logicalOr;
    if ((isAnd && (isFalse(left) || isFalse(right)))
        || (isOr && (left.isTrue() || right.isTrue()))) {
      return Value.of(isOr);
    }
    Value result = Arithmetic.apply(binary.getOperator(), left, right);
    return !result.isKnown() && left.isKnown() && right.isKnown()
        ? Value.unknown(Tree.text(binary) + ": " + result.why())
        : result;
  }

  private static boolean isFalse(Value value) {
    return value.isKnown() && !value.isTrue();
  }

  private Value ofConditional(IASTConditionalExpression conditional, Frame frame) {
    Value condition = of(conditional.getLogicalConditionExpression(), frame);
    if (condition.isKnown()) {
      IASTExpression positive = conditional.getPositiveResultExpression();
      return of(
          condition.isTrue()
              ? positive == null ? conditional.getLogicalConditionExpression() : positive
              : conditional.getNegativeResultExpression(),
          frame);
    }
    return condition;
  }

  private Value ofElement(IASTArraySubscriptExpression element, Frame frame) {
    IBinding array = Tree.variable(element.getArrayExpression());
    List<ProgramIndex.Write> writes = array == null ? List.of() : index.writes(array);
    if (writes.size() != 1 || !(writes.get(0).value() instanceof ICPPASTInitializerList list)) {
      return unknown(element);
    }
    String why = elsewhere.whyVariable(array);
    if (why != null || elsewhere.whyMember(element.getArrayExpression()) != null) {
      return why == null ? unknown(element) : Value.unknown(why);
    }
    Value at = of(element.getArgument(), frame);
    if (!at.isInteger()) {
      return at.isKnown() ? unknown(element) : at;
    }
    IASTInitializerClause[] all = list.getClauses();
    boolean isThere = at.integer().signum() >= 0 && at.integer().bitLength() < 31;
    int position = isThere ? at.integer().intValue() : all.length;
    return position < all.length ? of(all[position], frame) : unknown(element);
  }

  private Value ofName(IBinding name, Frame frame) {
    Value bound = frame.bound().get(name);
    if (bound != null) {
      return bound;
    }
    Value given = assumed.get(name.getName());
    if (given != null) {
      return given;
    }
    String why = conditions.why(name.getName());
    if (why != null) {
      return Value.unknown(why);
    }
    if (name instanceof IEnumerator enumerator) {
      return ofConstant(enumerator.getValue(), name);
    }
    if (name instanceof ICPPTemplateNonTypeParameter parameter) {
      return ofTemplate(parameter, frame);
    }
    if (name instanceof IProblemBinding) {
      return Value.unknown(name.getName() + " is not declared in the files given");
    }
    if (name instanceof IParameter) {
      return Value.unknown(name.getName() + " is a parameter, and no call here gives its value");
    }
    return name instanceof IVariable variable
        ? ofVariable(variable, frame)
        : Value.unknown(name.getName() + " is no variable with a constant value");
  }

  private static Value ofConstant(IValue value, IBinding name) {
    Number number = value == null ? null : value.numberValue();
    return number == null
        ? Value.unknown(name.getName() + " has no constant value")
        : Value.of(number.longValue());
  }

  private static Value ofTemplate(ICPPTemplateNonTypeParameter parameter, Frame frame) {
    var argument = frame.templates() == null ? null : frame.templates().getArgument(parameter);
    return ofConstant(argument == null ? null : argument.getNonTypeValue(), parameter);
  }

  private Value ofVariable(IVariable variable, Frame frame) {
    List<ProgramIndex.Write> writes = index.writes(variable);
    if (writes.isEmpty()) {
      return Value.unknown(variable.getName() + " gets no value in the files given");
    }
    String why = elsewhere.whyVariable(variable);
    if (why != null) {
      return Value.unknown(why);
    }
    if (!open.add(variable)) {
      return Value.unknown(variable.getName() + " depends on itself");
    }
    try {
      return as(variable.getType(), common(variable, writes, frame));
    } finally {
      open.remove(variable);
    }
  }

  /** The one value that all writes give. */
  private Value common(IVariable variable, List<ProgramIndex.Write> writes, Frame frame) {
    Value first = null;
    for (ProgramIndex.Write write : writes) {
      Value value = ofWrite(variable, write, frame);
      if (!value.isKnown()) {
        return writes.size() == 1 || first == null ? value : withDefault(variable, value, first);
      }
      if (first != null && !first.equals(value)) {
        return Value.unknown(variable.getName() + " gets several values: " + lines(writes));
      }
      first = value;
    }
    return first;
  }

  private static Value withDefault(IVariable variable, Value value, Value first) {
    String text = first.isInteger() ? first.integer().toString() : first.real().toString();
    return Value.unknown(value.why() + " (" + variable.getName() + " begins as " + text + ")");
  }

  private static String lines(List<ProgramIndex.Write> writes) {
    Set<Integer> lines = new TreeSet<>();
    writes.forEach(write -> lines.add(Tree.line(write.node())));
    return (lines.size() == 1 ? "line " : "lines ")
        + lines.stream().limit(4).map(String::valueOf).reduce((a, b) -> a + ", " + b).orElse("");
  }

  private Value ofWrite(IVariable variable, ProgramIndex.Write write, Frame frame) {
    if (write.value() == null) {
      return Value.unknown(variable.getName() + " changes in line " + Tree.line(write.node()));
    }
    boolean isHere = Tree.functionOf(write.node()) == null || isLocal(variable);
    return of(write.value(), isHere ? frame : Frame.OUTERMOST);
  }

  /** A local variable is written in the function whose frame is evaluated. */
  private static boolean isLocal(IVariable variable) {
    return variable.getOwner() instanceof org.eclipse.cdt.core.dom.ast.IFunction;
  }

  /** Converted to a type: integers have no fraction. */
  private static Value as(IType given, Value value) {
    IType type = given;
    while (type instanceof ITypedef || type instanceof IQualifierType) {
      type =
          type instanceof ITypedef typedef ? typedef.getType() : ((IQualifierType) type).getType();
    }
    boolean isReal =
        type instanceof IBasicType basic
            && (basic.getKind() == IBasicType.Kind.eFloat
                || basic.getKind() == IBasicType.Kind.eDouble);
    if (isReal && value.isInteger()) {
      return Value.real(value.number());
    }
    return type instanceof IBasicType basic && isInteger(basic) ? value.truncated() : value;
  }

  private static boolean isInteger(IBasicType type) {
    return switch (type.getKind()) {
      case eInt, eChar, eBoolean, eInt128, eChar16, eChar32, eWChar, eChar8 -> true;
      case eUnspecified ->
          type.isLong()
              || type.isShort()
              || type.isUnsigned()
              || type.isSigned()
              || type.isLongLong();
      default -> false;
    };
  }
}
