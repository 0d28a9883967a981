package org.schedgpu.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.estimate.Sources.ask;
import static org.schedgpu.estimate.Sources.only;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A size that code elsewhere may set is unknown: a wrong one is worse than none. */
class ElsewhereTest {
  private static final String MAIN = "struct P { int n = 16; int m = 8; void parse(); };\n";

  @TempDir Path folder;

  /** In main, after some lines. */
  private static String found(String before, String inMain, String size) {
    return String.valueOf(
        only(
            before
                + "\nint main(int argc, char **argv) { "
                + inMain
                + " cudaMalloc(&pointer, "
                + size
                + "); }\n"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "int n = 1024; | n is neither const nor static: another source may set it",
        "extern int n; int n = 1024; | n is neither const nor static: another source may set it",
        "namespace a { int n = 1024; } using a::n; | n is neither const nor static: another source"
            + " may set it",
        "struct S { static int n; }; int S::n = 1024; using T = S; | S::n",
        "int k[] = {1024, 2}; | k is neither const nor static: another source may set it",
        "static int n = 1024; | 4096",
        "namespace { int n = 1024; } | 4096",
        "const int n = 1024; | 4096",
        "extern const int n = 1024; | 4096",
        "constexpr int n = 1024; | 4096",
        "static int n = 1024; void f() { parse(&n); } | n changes in line 1 (n begins as 1024)",
        "static int n = 1024; void f() { n = atoi(s); } | atoi(s) is known only when the program"
            + " runs (n begins as 1024)",
        "static const int k[] = {1024, 2}; | 4096",
      })
  void variablesOutsideFunctions(String before, String expected) {
    String name = before.contains("k[]") ? "k[0]" : before.contains("S::n") ? "S::n" : "n";
    String found = found(before, "", name + " * 4");
    assertTrue(
        found.equals(expected) || (name.equals("S::n") && found.contains("another source may")),
        found);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "P p; fread(&p, sizeof p, 1, f); | p changes in line",
        "P p; parse(&p, argc); | p changes in line",
        "P p; byReference(p); | p changes in line",
        "P p; notDeclared(p); | p changes in line",
        "P p; p.n = 32; p.m = 8; byReference(p); | p changes in line",
        "P p; P &r = p; | p changes in line",
        "P p; auto *q = &p; | p changes in line",
        "P p; p.parse(); | parse() may change p, and is not here",
        "P p = load(argv[1]); | p changes in line",
        "P p{32, 8}; | p changes in line",
        "P p = {32, 8}; | p changes in line",
        "P p; p = load(argv[1]); | p changes in line",
        "P p; byPointer(&p.n); | n changes in line",
        "P p[2]; P &q = p[1]; byReference(q); p[0].n = 4; | the object with n comes from",
        "static P p; byReference(p); | p changes in line",
        "P &p = global(); | the object with n comes from elsewhere",
        "P *o = make(); P &p = *o; | the object with n comes from elsewhere",
      })
  void objectsThatOtherCodeReaches(String inMain, String expected) {
    String before =
        MAIN
            + "P load(const char *); P &global(); P *make();\n"
            + "void byReference(P &p); void byPointer(int *); void byConst(const P &p);\n";
    String member = inMain.contains("p[2]") ? "p[0].n" : "p.n";
    String found = found(before, inMain, member + " * 128");
    assertTrue(found.startsWith(expected), found);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "P p; | 2048",
        "P p{}; | 2048",
        "P p = {}; | 2048",
        "P p; byConst(p); byValue(p); | 2048",
        "P p; printf(\"%d\", p.n); | 2048",
        "P p; p.get(); | 2048",
        "Q p; | 2048",
        "Q p; p.n = 16; | 2048",
      })
  void objectsOfThisFunctionAlone(String inMain, String expected) {
    String before =
        "struct P { int n = 16; int get() const; };\n"
            + "struct Q { int n; Q() : n(16) {} };\n"
            + "void byConst(const P &p); void byValue(P p);\n";
    assertEquals(expected, found(before, inMain, "p.n * 128"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "struct P { int n = 16; P(int c, char **v); }; | P p(argc, argv); | p changes",
        "struct P { int n = 16; P(); }; | P p; | a constructor of P is not in the files given",
        "struct P { int n = 16; P() : n(32) {} }; | P p; | n gets several values",
        "struct P { int n = 16; P(int k) : n(k) {} }; | P p(argc); | p changes",
        "struct B { int n = 16; B(); }; struct P : B { }; | P p; | a constructor of P is not",
        "struct P { int n = 16; void f() { fill(this); } }; | P p; p.f(); | this goes to a"
            + " function",
        "struct P { static int n; }; int P::n = 16; | P p; | n is neither const nor of one object",
        "struct I { int n = 16; }; struct P { I i; int &n = i.n; }; | P p; | the object with n",
        "struct X { int n = 16; }; struct P { X *x; }; | P p; | p.x->n",
      })
  void constructorsAndMembers(String before, String inMain, String expected) {
    String member = expected.startsWith("p.x") ? "p.x->n" : "p.n";
    String found = found(before, inMain, member + " * 128");
    assertTrue(
        found.startsWith(expected) || (member.contains("->") && found.contains("from elsewhere")),
        found);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "void alloc(P *c) { A(c->n * 128); } | the object with n comes from elsewhere",
        "void alloc(P &c) { A(c.n * 128); } int main() { P p; alloc(p); } | the object with n comes"
            + " from elsewhere",
        "void alloc(P c) { A(c.n * 128); } | the object with n comes from elsewhere",
        "struct S { int n = 16; void f() { A(n * 128); } }; | the object with n comes from"
            + " elsewhere",
        "struct S { int n = 16; void f() { A(this->n * 128); } }; | the object with n comes from"
            + " elsewhere",
        "struct S { static const int n = 16; void f() { A(n * 128); } }; | 2048",
        "int main() { int n = 16; parse(n); A(n * 128); } | n changes in line 3 (n begins as 16)",
        "int main() { int n = 16; Parser p(n); A(n * 128); } | n changes in line 3 (n begins as"
            + " 16)",
        "struct R { R(int &n); }; int main() { int n = 16; R r(n); A(n * 128); } | n changes in"
            + " line 3 (n begins as 16)",
        "struct R { R(int n); }; int main() { int n = 16; R r(n); A(n * 128); } | 2048",
        "int main() { int n = 16; std::vector<float> v(n); v.resize(n); A(n * 128); } | 2048",
        "int main() { int n = 16; int &r = n; parse(r); A(n * 128); } | n changes in line 3 (n"
            + " begins as 16)",
        "int main() { int n[] = {16, 2}; fill(n); A(n[0] * 128); } | A(n[0] * 128) is known only"
            + " when the program runs",
        "void fill(int *n); int main() { int n[] = {16, 2}; fill(n); A(n[0] * 128); } | A(n[0] *"
            + " 128) is known only when the program runs",
        "int main() { int n[] = {16, 2}; for (auto &x : n) x = y; A(n[0] * 128); } | A(n[0] * 128)"
            + " is known only when the program runs",
        "int main() { int n = 16; kernel<<<1, 2>>>(n); A(n * 128); } | 2048",
        "int main() { int n = 0; A(n * 128); } | its size is 0 in the files given: code elsewhere"
            + " must set it",
      })
  void callersAndReferences(String source, String expected) {
    assertEquals(
        expected, String.valueOf(only("#define A(n) cudaMalloc(&pointer, n)\n" + MAIN + source)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "e.depth = argc; | its cudaExtent is not made by one make_cudaExtent",
        "fill(&e); | its cudaExtent is not made by one make_cudaExtent",
        "cudaMalloc3D(0, e); | 3072",
      })
  void structuresOfCuda(String change, String expected) {
    String source =
        "int main(int argc, char **argv) { cudaExtent e = make_cudaExtent(100, 2, 3);\n%s cudaMalloc3D(&q, e); }"
            .formatted(change.startsWith("cuda") ? "" : change);
    assertEquals(expected, String.valueOf(only(source)));
  }

  /** Of two sources, the second sets the member; -D says what it is. */
  @Test
  void aMemberThatAnotherSourceSets() throws IOException {
    Files.writeString(
        folder.resolve("config.h"), "struct C { size_t n = 1024; };\nvoid alloc(C &c);\n");
    Path one = folder.resolve("k1.cu");
    Files.writeString(
        one, "#include \"config.h\"\nvoid alloc(C &c) { cudaMalloc(&p, c.n * sizeof(float)); }\n");
    assertEquals("the object with n comes from elsewhere", only(ask(one, Map.of(), List.of())));
    assertEquals(2048L, only(ask(one, Map.of("n", "512"), List.of())));
  }

  /** A function of a header may be called by other sources, with other values. */
  @Test
  void aFunctionThatAHeaderDeclares() throws IOException {
    Files.writeString(folder.resolve("f.h"), "void f(int n);\n");
    Path one = folder.resolve("f.cu");
    Files.writeString(
        one, "#include \"f.h\"\nvoid f(int n) { cudaMalloc(&p, n); }\nvoid g() { f(512); }\n");
    assertEquals(
        "n is a parameter, and no call here gives its value", only(ask(one, Map.of(), List.of())));
  }
}
