package org.schedgpu.estimate;

import org.eclipse.cdt.core.dom.ast.IASTBinaryExpression;
import org.eclipse.cdt.core.dom.ast.IASTCastExpression;
import org.eclipse.cdt.core.dom.ast.IASTExpression;
import org.eclipse.cdt.core.dom.ast.IASTFieldReference;
import org.eclipse.cdt.core.dom.ast.IASTFileLocation;
import org.eclipse.cdt.core.dom.ast.IASTFunctionCallExpression;
import org.eclipse.cdt.core.dom.ast.IASTFunctionDefinition;
import org.eclipse.cdt.core.dom.ast.IASTIdExpression;
import org.eclipse.cdt.core.dom.ast.IASTName;
import org.eclipse.cdt.core.dom.ast.IASTNode;
import org.eclipse.cdt.core.dom.ast.IASTUnaryExpression;
import org.eclipse.cdt.core.dom.ast.IBinding;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTTemplateId;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPSpecialization;

/** Questions about nodes of a syntax tree. */
final class Tree {
  private static final int MAX_TEXT = 60;

  private Tree() {}

  /** Line of a node in its file, from 1; 0 if it has none. */
  static int line(IASTNode node) {
    IASTFileLocation location = node.getFileLocation();
    return location == null ? 0 : location.getStartingLineNumber();
  }

  /** A node as the source has it, on one short line. */
  static String text(IASTNode node) {
    String text = node.getRawSignature().replaceAll("\\s+", " ").strip();
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT - 3) + "...";
  }

  /** The function around a node; null outside functions. */
  static IASTFunctionDefinition functionOf(IASTNode node) {
    for (IASTNode up = node; up != null; up = up.getParent()) {
      if (up instanceof IASTFunctionDefinition function) {
        return function;
      }
    }
    return null;
  }

  /** Whether a node is another, or inside it. */
  static boolean isInside(IASTNode node, IASTNode outer) {
    for (IASTNode up = node; up != null; up = up.getParent()) {
      if (up == outer) {
        return true;
      }
    }
    return false;
  }

  /** The name of the called function; null if the call uses an expression instead of a name. */
  static IASTName calledName(IASTFunctionCallExpression call) {
    IASTExpression called = plain(call.getFunctionNameExpression());
    if (called instanceof IASTIdExpression id) {
      return id.getName();
    }
    return called instanceof IASTFieldReference field ? field.getFieldName() : null;
  }

  /** The last part of a name, without namespaces and template arguments. */
  static String simple(IASTName name) {
    IASTName last = name.getLastName();
    return last instanceof ICPPASTTemplateId template
        ? template.getTemplateName().toString()
        : last.toString();
  }

  /** An expression without parentheses, casts and the {@code &} before it. */
  static IASTExpression plain(IASTExpression given) {
    IASTExpression expression = given;
    while (true) {
      if (expression instanceof IASTCastExpression cast) {
        expression = cast.getOperand();
      } else if (expression instanceof IASTUnaryExpression unary
          && (unary.getOperator() == IASTUnaryExpression.op_bracketedPrimary
              || unary.getOperator() == IASTUnaryExpression.op_amper)) {
        expression = unary.getOperand();
      } else {
        return expression;
      }
    }
  }

  /** The variable that an expression names; null if it names none. */
  static IBinding variable(IASTExpression expression) {
    IASTExpression plain = plain(expression);
    if (plain instanceof IASTIdExpression id) {
      return general(id.getName().resolveBinding());
    }
    return plain instanceof IASTFieldReference field
        ? general(field.getFieldName().resolveBinding())
        : null;
  }

  /** True if a node is in the source itself, not in what it includes. */
  static boolean isInSource(IASTNode node) {
    return node != null && node.isPartOfTranslationUnitFile();
  }

  /** True if this is the name of a variable or of a member, and nothing else. */
  static boolean isName(IASTNode node) {
    return node instanceof IASTIdExpression || node instanceof IASTFieldReference;
  }

  /** Of an instance of a template: the template. */
  static IBinding general(IBinding given) {
    IBinding binding = given;
    while (binding instanceof ICPPSpecialization special) {
      binding = special.getSpecializedBinding();
    }
    return binding;
  }

  /** Whether a binary expression assigns, with or without another operator. */
  static boolean isAssignment(IASTBinaryExpression expression) {
    int operator = expression.getOperator();
    return operator >= IASTBinaryExpression.op_assign
        && operator <= IASTBinaryExpression.op_binaryOrAssign;
  }
}
