package org.schedgpu.estimate;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.eclipse.cdt.core.dom.ast.IASTBinaryExpression;
import org.eclipse.cdt.core.dom.ast.IASTDoStatement;
import org.eclipse.cdt.core.dom.ast.IASTExpression;
import org.eclipse.cdt.core.dom.ast.IASTForStatement;
import org.eclipse.cdt.core.dom.ast.IASTFunctionDefinition;
import org.eclipse.cdt.core.dom.ast.IASTIfStatement;
import org.eclipse.cdt.core.dom.ast.IASTNode;
import org.eclipse.cdt.core.dom.ast.IASTStatement;
import org.eclipse.cdt.core.dom.ast.IASTUnaryExpression;
import org.eclipse.cdt.core.dom.ast.IASTWhileStatement;
import org.eclipse.cdt.core.dom.ast.IBinding;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTRangeBasedForStatement;

/** How often a statement is executed: loops with constant bounds, branches that are never taken. */
final class Loops {
  private static final int MAX_TURNS = 4096;

  private final ProgramIndex index;
  private final Evaluator evaluator;

  Loops(ProgramIndex index, Evaluator evaluator) {
    this.index = index;
    this.evaluator = evaluator;
  }

  /** How often a node is executed for one call of its function. */
  Value times(IASTNode node, Frame frame) {
    return total(node, frame, any -> false, at -> Value.of(1));
  }

  /**
   * The sum of an amount over all executions of a node for one call of its function.
   *
   * @param runsOnce loops that count as one turn
   * @param amount of one execution
   */
  Value total(
      IASTNode node,
      Frame frame,
      Predicate<IASTStatement> runsOnce,
      Function<Frame, Value> amount) {
    return total(around(node), 0, frame, node, runsOnce, amount);
  }

  /** The loops and branches around a node, the outermost first. */
  private static List<IASTStatement> around(IASTNode node) {
    List<IASTStatement> found = new ArrayList<>();
    for (IASTNode up = node.getParent();
        up != null && !(up instanceof IASTFunctionDefinition);
        up = up.getParent()) {
      if (up instanceof IASTIfStatement || isLoop(up)) {
        found.add(0, (IASTStatement) up);
      }
    }
    return found;
  }

  private static boolean isLoop(IASTNode node) {
    return node instanceof IASTForStatement
        || node instanceof IASTWhileStatement
        || node instanceof IASTDoStatement
        || node instanceof ICPPASTRangeBasedForStatement;
  }

  private Value total(
      List<IASTStatement> around,
      int at,
      Frame frame,
      IASTNode node,
      Predicate<IASTStatement> runsOnce,
      Function<Frame, Value> amount) {
    if (at == around.size()) {
      return amount.apply(frame);
    }
    IASTStatement outer = around.get(at);
    Function<Frame, Value> inside = inner -> total(around, at + 1, inner, node, runsOnce, amount);
    if (outer instanceof IASTIfStatement branch) {
      return isNeverTaken(branch, node, frame) ? Value.of(0) : inside.apply(frame);
    }
    boolean isOnce = runsOnce.test(outer) || isOfSingleTurn(outer, frame) || isHead(outer, node);
    return isOnce ? inside.apply(frame) : repeated(outer, frame, inside);
  }

  private boolean isNeverTaken(IASTIfStatement branch, IASTNode node, Frame frame) {
    IASTExpression condition = branch.getConditionExpression();
    boolean isThen = Tree.isInside(node, branch.getThenClause());
    boolean isElse = branch.getElseClause() != null && Tree.isInside(node, branch.getElseClause());
    if (condition == null || (!isThen && !isElse)) {
      return false;
    }
    Value value = evaluator.of(condition, frame);
    return value.isKnown() && value.isTrue() != isThen;
  }

  /** {@code do ... while (0)}, as macros have it. */
  private boolean isOfSingleTurn(IASTStatement loop, Frame frame) {
    if (loop instanceof IASTDoStatement once) {
      Value condition = evaluator.of(once.getCondition(), frame);
      return condition.isKnown() && !condition.isTrue();
    }
    return false;
  }

  private static boolean isHead(IASTStatement loop, IASTNode node) {
    return loop instanceof IASTForStatement turns
        && Tree.isInside(node, turns.getInitializerStatement());
  }

  private Value repeated(IASTStatement loop, Frame frame, Function<Frame, Value> inside) {
    Range range = loop instanceof IASTForStatement turns ? range(turns, frame) : null;
    if (range == null || !range.count.isKnown()) {
      String why = range == null ? "" : ": " + range.count.why();
      return Value.unknown("in a loop of unknown length (line " + Tree.line(loop) + ")" + why);
    }
    Value once =
        inside.apply(
            frame.with(
                range.variable, Value.unknown(range.variable.getName() + " counts the loop")));
    Value all = Arithmetic.apply(IASTBinaryExpression.op_multiply, once, range.count);
    long count = range.count.integer().longValue();
    if (all.isKnown() || count > MAX_TURNS) {
      return all;
    }
    Value sum = Value.of(0);
    for (long i = 0; i < count && sum.isKnown(); i++) {
      Value at = Value.of(range.first + i * range.step);
      sum =
          Arithmetic.apply(
              IASTBinaryExpression.op_plus, sum, inside.apply(frame.with(range.variable, at)));
    }
    return sum;
  }

  private record Range(IBinding variable, long first, long step, Value count) {}

  /**
   * The number of turns of {@code for (i = FIRST; i < END; i += STEP)}; null for any other loop.
   */
  private Range range(IASTForStatement loop, Frame frame) {
    if (!(loop.getConditionExpression() instanceof IASTBinaryExpression condition)) {
      return null;
    }
    IBinding variable = Tree.variable(condition.getOperand1());
    Value step = variable == null ? null : step(loop.getIterationExpression(), variable, frame);
    if (step == null) {
      return null;
    }
    Value first = first(loop, variable, frame);
    Value end = evaluator.of(condition.getOperand2(), frame);
    if (!first.isInteger() || !step.isInteger() || !end.isInteger()) {
      Value unknown = !end.isKnown() ? end : !first.isKnown() ? first : step;
      String why = unknown.isKnown() ? "a bound is no integer" : unknown.why();
      return new Range(variable, 0, 0, Value.unknown(why));
    }
    long from = first.integer().longValue();
    long by = step.integer().longValue();
    return new Range(
        variable, from, by, count(condition.getOperator(), from, end.integer().longValue(), by));
  }

  private static Value count(int operator, long first, long end, long step) {
    boolean isUp =
        operator == IASTBinaryExpression.op_lessThan
            || operator == IASTBinaryExpression.op_lessEqual
            || (operator == IASTBinaryExpression.op_notequals && step > 0);
    boolean isInclusive =
        operator == IASTBinaryExpression.op_lessEqual
            || operator == IASTBinaryExpression.op_greaterEqual;
    boolean isComparison =
        isUp
            || isInclusive
            || operator == IASTBinaryExpression.op_greaterThan
            || operator == IASTBinaryExpression.op_notequals;
    if (!isComparison || step == 0 || (step > 0) != isUp) {
      return Value.unknown("its bound is never reached");
    }
    BigInteger distance =
        BigInteger.valueOf(isUp ? end : first)
            .subtract(BigInteger.valueOf(isUp ? first : end))
            .add(isInclusive ? BigInteger.ONE : BigInteger.ZERO);
    BigInteger size = BigInteger.valueOf(step).abs();
    return distance.signum() <= 0
        ? Value.of(0)
        : Value.of(distance.subtract(BigInteger.ONE).divide(size).add(BigInteger.ONE));
  }

  /**
   * The first value of a loop's variable: the write in the head, if the step is the only other one.
   */
  private Value first(IASTForStatement loop, IBinding variable, Frame frame) {
    Value first = Value.unknown(variable.getName() + " has no first value in the head of the loop");
    for (ProgramIndex.Write write : index.writes(variable)) {
      if (Tree.isInside(write.node(), loop.getInitializerStatement()) && write.value() != null) {
        first = evaluator.of(write.value(), frame);
      } else if (Tree.isInside(write.node(), loop.getBody())) {
        return Value.unknown(variable.getName() + " changes in line " + Tree.line(write.node()));
      }
    }
    return first;
  }

  private Value step(IASTExpression iteration, IBinding variable, Frame frame) {
    if (iteration instanceof IASTUnaryExpression unary
        && variable.equals(Tree.variable(unary.getOperand()))) {
      return switch (unary.getOperator()) {
        case IASTUnaryExpression.op_prefixIncr, IASTUnaryExpression.op_postFixIncr -> Value.of(1);
        case IASTUnaryExpression.op_prefixDecr, IASTUnaryExpression.op_postFixDecr -> Value.of(-1);
        default -> null;
      };
    }
    if (iteration instanceof IASTBinaryExpression binary
        && variable.equals(Tree.variable(binary.getOperand1()))) {
      Value by = evaluator.of(binary.getOperand2(), frame);
      return switch (binary.getOperator()) {
        case IASTBinaryExpression.op_plusAssign -> by;
        case IASTBinaryExpression.op_minusAssign ->
            Arithmetic.apply(IASTBinaryExpression.op_minus, Value.of(0), by);
        default -> null;
      };
    }
    return null;
  }
}
