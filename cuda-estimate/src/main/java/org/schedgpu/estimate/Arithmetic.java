package org.schedgpu.estimate;

import java.math.BigInteger;
import org.eclipse.cdt.core.dom.ast.IASTBinaryExpression;

/** The operators of C with two operands. */
final class Arithmetic {
  private static final int MAX_SHIFT = 62;

  private Arithmetic() {}

  /**
   * The result.
   *
   * @param operator as {@link IASTBinaryExpression#getOperator()}
   */
  static Value apply(int operator, Value left, Value right) {
    if (!left.isKnown() || !right.isKnown()) {
      return left.isKnown() ? right : left;
    }
    return left.isInteger() && right.isInteger()
        ? ofIntegers(operator, left.integer(), right.integer())
        : ofReals(operator, left.number(), right.number());
  }

  private static Value ofIntegers(int operator, BigInteger a, BigInteger b) {
    return switch (operator) {
      case IASTBinaryExpression.op_plus -> Value.of(a.add(b));
      case IASTBinaryExpression.op_minus -> Value.of(a.subtract(b));
      case IASTBinaryExpression.op_multiply -> Value.of(a.multiply(b));
      case IASTBinaryExpression.op_divide ->
          b.signum() == 0 ? divisionByZero() : Value.of(a.divide(b));
      case IASTBinaryExpression.op_modulo ->
          b.signum() == 0 ? divisionByZero() : Value.of(a.remainder(b));
      case IASTBinaryExpression.op_shiftLeft -> shift(a, b, true);
      case IASTBinaryExpression.op_shiftRight -> shift(a, b, false);
      case IASTBinaryExpression.op_binaryAnd -> Value.of(a.and(b));
      case IASTBinaryExpression.op_binaryOr -> Value.of(a.or(b));
      case IASTBinaryExpression.op_binaryXor -> Value.of(a.xor(b));
      case IASTBinaryExpression.op_logicalAnd -> Value.of(a.signum() != 0 && b.signum() != 0);
      case IASTBinaryExpression.op_logicalOr -> Value.of(a.signum() != 0 || b.signum() != 0);
      default -> compare(operator, a.compareTo(b));
    };
  }

  private static Value ofReals(int operator, double a, double b) {
    return switch (operator) {
      case IASTBinaryExpression.op_plus -> Value.real(a + b);
      case IASTBinaryExpression.op_minus -> Value.real(a - b);
      case IASTBinaryExpression.op_multiply -> Value.real(a * b);
      case IASTBinaryExpression.op_divide -> b == 0 ? divisionByZero() : Value.real(a / b);
      case IASTBinaryExpression.op_logicalAnd -> Value.of(a != 0 && b != 0);
      case IASTBinaryExpression.op_logicalOr -> Value.of(a != 0 || b != 0);
      default -> compare(operator, Double.compare(a, b));
    };
  }

  private static Value compare(int operator, int order) {
    return switch (operator) {
      case IASTBinaryExpression.op_lessThan -> Value.of(order < 0);
      case IASTBinaryExpression.op_lessEqual -> Value.of(order <= 0);
      case IASTBinaryExpression.op_greaterThan -> Value.of(order > 0);
      case IASTBinaryExpression.op_greaterEqual -> Value.of(order >= 0);
      case IASTBinaryExpression.op_equals -> Value.of(order == 0);
      case IASTBinaryExpression.op_notequals -> Value.of(order != 0);
      default -> Value.unknown("an operator is not evaluated");
    };
  }

  private static Value shift(BigInteger a, BigInteger b, boolean left) {
    if (b.signum() < 0 || b.compareTo(BigInteger.valueOf(MAX_SHIFT)) > 0) {
      return Value.unknown("a shift by " + b + " bits");
    }
    return Value.of(left ? a.shiftLeft(b.intValue()) : a.shiftRight(b.intValue()));
  }

  private static Value divisionByZero() {
    return Value.unknown("division by zero");
  }
}
