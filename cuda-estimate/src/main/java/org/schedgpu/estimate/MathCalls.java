package org.schedgpu.estimate;

import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import org.eclipse.cdt.core.dom.ast.IASTFunctionCallExpression;
import org.eclipse.cdt.core.dom.ast.IASTInitializerClause;
import org.eclipse.cdt.core.dom.ast.IASTName;

/** Calls of functions of the standard library that compute a number. */
final class MathCalls {
  private static final Map<String, DoubleUnaryOperator> OF_ONE =
      Map.ofEntries(
          Map.entry("ceil", Math::ceil),
          Map.entry("ceilf", Math::ceil),
          Map.entry("floor", Math::floor),
          Map.entry("floorf", Math::floor),
          Map.entry("round", Math::rint),
          Map.entry("sqrt", Math::sqrt),
          Map.entry("sqrtf", Math::sqrt),
          Map.entry("log2", number -> Math.log(number) / Math.log(2)),
          Map.entry("exp2", number -> Math.pow(2, number)));

  private final Evaluator evaluator;

  MathCalls(Evaluator evaluator) {
    this.evaluator = evaluator;
  }

  /** The value; null if another function is called. */
  Value of(IASTFunctionCallExpression call, Frame frame) {
    IASTName name = Tree.calledName(call);
    String simple = name == null ? "" : Tree.simple(name);
    IASTInitializerClause[] arguments = call.getArguments();
    if (arguments.length == 1) {
      DoubleUnaryOperator operator = OF_ONE.get(simple);
      if (operator == null) {
        return simple.equals("abs") ? absolute(evaluator.of(arguments[0], frame)) : null;
      }
      Value value = evaluator.of(arguments[0], frame);
      return value.isKnown() ? Value.real(operator.applyAsDouble(value.number())) : value;
    }
    if (arguments.length != 2) {
      return null;
    }
    return switch (simple) {
      case "min", "fmin", "MIN" -> pick(arguments, frame, false);
      case "max", "fmax", "MAX" -> pick(arguments, frame, true);
      case "pow", "powf" -> power(arguments, frame);
      default -> null;
    };
  }

  private static Value absolute(Value value) {
    if (!value.isKnown()) {
      return value;
    }
    return value.isInteger() ? Value.of(value.integer().abs()) : Value.real(Math.abs(value.real()));
  }

  private Value pick(IASTInitializerClause[] arguments, Frame frame, boolean larger) {
    Value a = evaluator.of(arguments[0], frame);
    Value b = evaluator.of(arguments[1], frame);
    if (!a.isKnown() || !b.isKnown()) {
      return a.isKnown() ? b : a;
    }
    boolean areIntegers = a.isInteger() && b.isInteger();
    boolean isFirst =
        areIntegers ? a.integer().compareTo(b.integer()) > 0 : a.number() > b.number();
    return isFirst == larger ? a : b;
  }

  private Value power(IASTInitializerClause[] arguments, Frame frame) {
    Value a = evaluator.of(arguments[0], frame);
    Value b = evaluator.of(arguments[1], frame);
    if (!a.isKnown() || !b.isKnown()) {
      return a.isKnown() ? b : a;
    }
    return Value.real(Math.pow(a.number(), b.number()));
  }
}
