package org.schedgpu.estimate;

import java.util.regex.Pattern;
import org.eclipse.cdt.core.dom.ast.IArrayType;
import org.eclipse.cdt.core.dom.ast.IBasicType;
import org.eclipse.cdt.core.dom.ast.ICompositeType;
import org.eclipse.cdt.core.dom.ast.IEnumeration;
import org.eclipse.cdt.core.dom.ast.IField;
import org.eclipse.cdt.core.dom.ast.IPointerType;
import org.eclipse.cdt.core.dom.ast.IProblemBinding;
import org.eclipse.cdt.core.dom.ast.IQualifierType;
import org.eclipse.cdt.core.dom.ast.IType;
import org.eclipse.cdt.core.dom.ast.ITypedef;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPBase;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPClassType;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPMethod;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPReferenceType;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPTemplateArgument;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPTemplateParameter;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPTemplateParameterMap;

/** Sizes of types on 64-bit Linux (LP64, Itanium ABI). */
final class TypeSizes {
  private static final long POINTER = 8;
  private static final int MAX_DEPTH = 32;

  /** The vector types of CUDA of two and four parts, aligned to their size up to 16 bytes. */
  private static final Pattern ALIGNED =
      Pattern.compile("(u?(char|short|int|long|longlong)|float|double)[24]|__half2");

  private final ICPPTemplateParameterMap templates;
  private String why = "";

  /**
   * In one place of the program.
   *
   * @param templates what the parameters of templates are there; may be null
   */
  TypeSizes(ICPPTemplateParameterMap templates) {
    this.templates = templates;
  }

  /** What {@code sizeof} gives. */
  Value of(IType type) {
    Layout layout = layout(type, 0);
    return layout == null ? Value.unknown(why) : Value.of(layout.size);
  }

  private record Layout(long size, long alignment) {}

  private Layout layout(IType given, int depth) {
    IType type = given;
    while (type instanceof ITypedef || type instanceof IQualifierType || isReference(type)) {
      type = next(type);
    }
    if (depth > MAX_DEPTH) {
      return none("a type is nested too deeply");
    }
    if (type instanceof ICPPTemplateParameter parameter) {
      return ofParameter(parameter, depth);
    }
    if (type instanceof IPointerType) {
      return new Layout(POINTER, POINTER);
    }
    if (type instanceof IBasicType basic) {
      return ofBasic(basic);
    }
    if (type instanceof IEnumeration) {
      return new Layout(4, 4);
    }
    if (type instanceof IArrayType array) {
      return ofArray(array, depth);
    }
    return type instanceof ICompositeType composite
        ? ofStruct(composite, depth)
        : none("the size of a type is not in the files given");
  }

  private static boolean isReference(IType type) {
    return type instanceof ICPPReferenceType;
  }

  private static IType next(IType type) {
    if (type instanceof ITypedef typedef) {
      return typedef.getType();
    }
    return type instanceof IQualifierType qualified
        ? qualified.getType()
        : ((ICPPReferenceType) type).getType();
  }

  private Layout ofParameter(ICPPTemplateParameter parameter, int depth) {
    ICPPTemplateArgument argument = templates == null ? null : templates.getArgument(parameter);
    IType type = argument == null ? null : argument.getTypeValue();
    return type == null || type instanceof ICPPTemplateParameter
        ? none("the type " + parameter.getName() + " of a template is not known where it is used")
        : layout(type, depth + 1);
  }

  private Layout ofBasic(IBasicType type) {
    long size =
        switch (type.getKind()) {
          case eChar, eChar8, eBoolean -> 1;
          case eChar16 -> 2;
          case eFloat, eChar32, eWChar, eDecimal32 -> 4;
          case eDouble -> type.isLong() ? 16 : 8;
          case eNullPtr, eDecimal64 -> 8;
          case eInt128, eFloat128, eDecimal128 -> 16;
          case eInt, eUnspecified ->
              type.isShort() ? 2 : type.isLong() || type.isLongLong() ? 8 : 4;
          case eVoid -> 1;
        };
    return new Layout(type.isComplex() ? 2 * size : size, size);
  }

  private Layout ofArray(IArrayType array, int depth) {
    Layout element = layout(array.getType(), depth + 1);
    if (element == null) {
      return null;
    }
    Number length = array.getSize() == null ? null : array.getSize().numberValue();
    if (length == null) {
      return none("the length of an array is not constant");
    }
    Value size = Arithmetic.apply(MULTIPLY, Value.of(element.size), Value.of(length.longValue()));
    return size.isKnown()
        ? new Layout(size.integer().longValue(), element.alignment)
        : none(size.why());
  }

  private static final int MULTIPLY = org.eclipse.cdt.core.dom.ast.IASTBinaryExpression.op_multiply;

  private Layout ofStruct(ICompositeType type, int depth) {
    if (type instanceof IProblemBinding) {
      return none("the type " + type.getName() + " is not declared in the files given");
    }
    if (type instanceof ICPPClassType klass && klass.getCompositeScope() == null) {
      return none("the members of " + type.getName() + " are not in the files given");
    }
    boolean isUnion = type.getKey() == ICompositeType.k_union;
    long size = 0;
    long alignment = 1;
    if (type instanceof ICPPClassType klass) {
      if (isPolymorphic(klass)) {
        size = POINTER;
        alignment = POINTER;
      }
      for (ICPPBase base : klass.getBases()) {
        Layout layout = base.getBaseClass() instanceof IType t ? layout(t, depth + 1) : null;
        if (layout == null) {
          return none("a base class of " + type.getName() + " is not known");
        }
        size = up(size, layout.alignment) + layout.size;
        alignment = Math.max(alignment, layout.alignment);
      }
    }
    for (IField field : fields(type)) {
      if (field.isStatic()) {
        continue;
      }
      Layout layout = layout(field.getType(), depth + 1);
      if (layout == null) {
        return null;
      }
      size = isUnion ? Math.max(size, layout.size) : up(size, layout.alignment) + layout.size;
      alignment = Math.max(alignment, layout.alignment);
    }
    if (ALIGNED.matcher(type.getName()).matches() && size > 0) {
      alignment = Math.max(alignment, Math.min(16, size));
    }
    return new Layout(Math.max(1, up(size, alignment)), alignment);
  }

  private static IField[] fields(ICompositeType type) {
    return type instanceof ICPPClassType klass ? klass.getDeclaredFields() : type.getFields();
  }

  private static boolean isPolymorphic(ICPPClassType klass) {
    for (ICPPMethod method : klass.getDeclaredMethods()) {
      if (method.isVirtual()) {
        return true;
      }
    }
    return false;
  }

  private static long up(long size, long alignment) {
    return (size + alignment - 1) / alignment * alignment;
  }

  private Layout none(String reason) {
    why = reason;
    return null;
  }
}
