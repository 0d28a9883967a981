package org.schedgpu.estimate;

import java.math.BigInteger;
import java.util.List;
import org.eclipse.cdt.core.dom.ast.IASTBinaryExpression;
import org.eclipse.cdt.core.dom.ast.IASTExpression;
import org.eclipse.cdt.core.dom.ast.IASTFunctionCallExpression;
import org.eclipse.cdt.core.dom.ast.IASTIdExpression;
import org.eclipse.cdt.core.dom.ast.IASTInitializerClause;
import org.eclipse.cdt.core.dom.ast.IASTName;
import org.eclipse.cdt.core.dom.ast.IASTNode;
import org.eclipse.cdt.core.dom.ast.IASTTypeId;
import org.eclipse.cdt.core.dom.ast.IBinding;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTTemplateId;

/** How many bytes one execution of an allocating call takes. */
final class CallSizes {
  /** The unit in which the preload library counts: {@code docs/reference/cuda-entry-points.md}. */
  private static final long UNIT_BYTES = 512;

  private final ProgramIndex index;
  private final Evaluator evaluator;

  CallSizes(ProgramIndex index, Evaluator evaluator) {
    this.index = index;
    this.evaluator = evaluator;
  }

  /** Bytes, rounded up to units of 512. */
  Value of(IASTFunctionCallExpression call, Allocator.Shape shape, Frame frame) {
    IASTInitializerClause[] all = call.getArguments();
    int first = shape.argument();
    Value bytes =
        switch (shape.kind()) {
          case BYTES -> argument(all, first, frame);
          case PITCH -> product(up(argument(all, first, frame)), argument(all, first + 1, frame));
          case EXTENT -> pitched(extent(all, first), frame);
          case ARRAY -> array(all, first, frame);
          case ARRAY_3D ->
              product(element(all, first, frame), volume(extent(all, first + 1), frame));
          case OTHER -> Value.unknown("its size is in a structure, which is not followed");
        };
    return rounded(bytes);
  }

  /** Rounded up in the way in which allocations are counted; a negative size is unknown. */
  static Value rounded(Value given) {
    Value bytes = given.truncated();
    return bytes.isKnown() && bytes.integer().signum() < 0
        ? Value.unknown("the size is negative: " + bytes.integer())
        : up(bytes);
  }

  private Value argument(IASTInitializerClause[] all, int at, Frame frame) {
    return at < all.length
        ? evaluator.of(all[at], frame).truncated()
        : Value.unknown("an argument is missing");
  }

  private Value array(IASTInitializerClause[] all, int first, Frame frame) {
    Value height = all.length > first + 2 ? argument(all, first + 2, frame) : Value.of(1);
    boolean isFlat = height.isKnown() && height.integer().signum() == 0;
    Value area = product(argument(all, first + 1, frame), isFlat ? Value.of(1) : height);
    return product(element(all, first, frame), area);
  }

  /** Width, height and depth in {@code make_cudaExtent}; null if they cannot be found. */
  private IASTInitializerClause[] extent(IASTInitializerClause[] all, int at) {
    IASTFunctionCallExpression made = at < all.length ? made(all[at], "make_cudaExtent") : null;
    return made == null || made.getArguments().length != 3 ? null : made.getArguments();
  }

  private Value pitched(IASTInitializerClause[] extent, Frame frame) {
    if (extent == null) {
      return Value.unknown("its cudaExtent is not made by one make_cudaExtent");
    }
    Value rows = product(argument(extent, 1, frame), argument(extent, 2, frame));
    return product(up(argument(extent, 0, frame)), rows);
  }

  /** A height or depth of 0 means an array of fewer dimensions. */
  private Value volume(IASTInitializerClause[] extent, Frame frame) {
    if (extent == null) {
      return Value.unknown("its cudaExtent is not made by one make_cudaExtent");
    }
    Value volume = argument(extent, 0, frame);
    for (int i = 1; i < extent.length; i++) {
      Value side = argument(extent, i, frame);
      boolean isFlat = side.isKnown() && side.integer().signum() == 0;
      volume = product(volume, isFlat ? Value.of(1) : side);
    }
    return volume;
  }

  private Value element(IASTInitializerClause[] all, int at, Frame frame) {
    IASTFunctionCallExpression made =
        at < all.length ? made(all[at], "cudaCreateChannelDesc") : null;
    if (made == null) {
      return Value.unknown("its channel format is not made by one cudaCreateChannelDesc");
    }
    IASTName name = Tree.calledName(made);
    if (name.getLastName() instanceof ICPPASTTemplateId template) {
      IASTNode[] types = template.getTemplateArguments();
      return types.length == 1 && types[0] instanceof IASTTypeId type
          ? new TypeSizes(frame.templates()).of(FunctionCalls.type(type))
          : Value.unknown("its channel format is not known");
    }
    Value bits = Value.of(0);
    for (int i = 0; i < 4; i++) {
      bits =
          Arithmetic.apply(
              IASTBinaryExpression.op_plus, bits, argument(made.getArguments(), i, frame));
    }
    return Arithmetic.apply(IASTBinaryExpression.op_divide, bits, Value.of(8));
  }

  /** The call that makes a structure: this expression, or the only value that a variable gets. */
  private IASTFunctionCallExpression made(IASTInitializerClause clause, String function) {
    if (!(clause instanceof IASTExpression expression)) {
      return null;
    }
    IASTExpression plain = Tree.plain(expression);
    if (plain instanceof IASTFunctionCallExpression call) {
      IASTName name = Tree.calledName(call);
      return name != null && Tree.simple(name).equals(function) ? call : null;
    }
    IBinding variable = plain instanceof IASTIdExpression ? Tree.variable(plain) : null;
    List<IASTInitializerClause> values =
        variable == null || mayChange(variable)
            ? List.of()
            : index.writes(variable).stream()
                .map(ProgramIndex.Write::value)
                .filter(value -> value != null && value != clause)
                .toList();
    return values.size() == 1 && !(values.get(0) instanceof IASTIdExpression)
        ? made(values.get(0), function)
        : null;
  }

  /** True if more than one write decides about a structure; CUDA itself only reads it. */
  private boolean mayChange(IBinding structure) {
    return new Elsewhere(index).whyVariable(structure) != null
        || index.changesMembersOf("cudaExtent")
        || index.changesMembersOf("cudaChannelFormatDesc")
        || index.writes(structure).stream()
            .filter(write -> write.value() == null)
            .anyMatch(write -> !isArgumentOfCuda(write.node()));
  }

  private static boolean isArgumentOfCuda(IASTNode node) {
    IASTName name =
        node.getParent() instanceof IASTFunctionCallExpression call ? Tree.calledName(call) : null;
    return name != null && Tree.simple(name).matches("cu(da)?[A-Z].*");
  }

  private static Value product(Value a, Value b) {
    return Arithmetic.apply(IASTBinaryExpression.op_multiply, a, b);
  }

  private static Value up(Value bytes) {
    if (!bytes.isKnown()) {
      return bytes;
    }
    BigInteger unit = BigInteger.valueOf(UNIT_BYTES);
    return Value.of(bytes.integer().add(unit).subtract(BigInteger.ONE).divide(unit).multiply(unit));
  }
}
