package org.schedgpu.estimate;

import java.math.BigInteger;
import java.util.Locale;
import org.eclipse.cdt.core.dom.ast.IASTLiteralExpression;

/** Literals of C++. */
final class Literals {
  private Literals() {}

  /** The value of a literal. */
  static Value of(IASTLiteralExpression literal) {
    String text = String.valueOf(literal.getValue()).replace("'", "").toLowerCase(Locale.ROOT);
    return switch (literal.getKind()) {
      case IASTLiteralExpression.lk_integer_constant -> integer(text);
      case IASTLiteralExpression.lk_float_constant -> real(text);
      case IASTLiteralExpression.lk_true -> Value.of(1);
      case IASTLiteralExpression.lk_false, IASTLiteralExpression.lk_nullptr -> Value.of(0);
      case IASTLiteralExpression.lk_char_constant ->
          text.length() == 1 ? Value.of(text.charAt(0)) : Value.unknown("a character constant");
      default -> Value.unknown("a text");
    };
  }

  /** {@code 10}, {@code 0x10UL}, {@code 010}, {@code 0b10}. */
  static Value integer(String text) {
    String digits = text.replaceAll("[ulz]+$", "");
    try {
      if (digits.startsWith("0x")) {
        return Value.of(new BigInteger(digits.substring(2), 16));
      }
      if (digits.startsWith("0b")) {
        return Value.of(new BigInteger(digits.substring(2), 2));
      }
      boolean isOctal = digits.length() > 1 && digits.startsWith("0");
      return Value.of(new BigInteger(digits, isOctal ? 8 : 10));
    } catch (NumberFormatException problem) {
      return Value.unknown(text + " is no number");
    }
  }

  private static Value real(String text) {
    try {
      return Value.real(Double.parseDouble(text.replaceAll("[fl]$", "")));
    } catch (NumberFormatException problem) {
      return Value.unknown(text + " is no number");
    }
  }
}
