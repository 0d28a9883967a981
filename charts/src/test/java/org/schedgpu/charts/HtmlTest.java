package org.schedgpu.charts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class HtmlTest {
  @Test
  void nothingThatSomebodyChoseIsMarkup() {
    assertEquals(
        "&lt;script&gt;x=&quot;1&quot;&amp;&#39;2&#39;&lt;/script&gt;",
        Html.escaped("<script>x=\"1\"&'2'</script>"));
  }

  @Test
  void whatCannotBeInAPageIsReplaced() {
    assertEquals("a\uFFFDb\uFFFDc\uFFFD\n", Html.escaped("a\u0000b\u001bc\ud800\n"));
    assertEquals("\ud83d\ude80", Html.escaped("\ud83d\ude80"));
  }
}
