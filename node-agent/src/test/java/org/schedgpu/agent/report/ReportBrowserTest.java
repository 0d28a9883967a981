package org.schedgpu.agent.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.schedgpu.agent.query.Principal;

/** The page in a real browser. target/report has pictures of it. */
class ReportBrowserTest {
  private static final Path PICTURES = Path.of("target", "report").toAbsolutePath();

  /** Points that are drawn, of each canvas. */
  private static final String DRAWN =
      "[...document.querySelectorAll('canvas')].map(c => c.getContext('2d').getImageData(0, 0,"
          + " c.width, c.height).data.filter((v, i) => i % 4 === 3 && v).length)";

  /** The worst contrast of a text with its background, as WCAG defines it. */
  private static final String CONTRAST =
      """
      (() => {
        const rgba = (text) => text.match(/[\\d.]+/g).map(Number);
        const light = (c) => c.slice(0, 3).map((v) => v / 255)
            .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
            .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        const background = (e) => {
          for (; e; e = e.parentElement) {
            const c = rgba(getComputedStyle(e).backgroundColor);
            if (c.length < 4 || c[3] === 1) return c;
          }
        };
        let worst = {ratio: 99};
        for (const e of document.querySelectorAll('body *')) {
          const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
          if (!own || !e.getClientRects().length || e.closest('script, noscript')) continue;
          const [a, b] = [light(rgba(getComputedStyle(e).color)), light(background(e))];
          const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
          if (ratio < worst.ratio) worst = {ratio, text: e.textContent, tag: e.tagName};
        }
        return worst;
      })()
      """;

  @TempDir static Path folder;
  private static Browser browser;

  @BeforeAll
  static void start() throws Exception {
    Files.createDirectories(PICTURES);
    browser = new Browser(folder.resolve("profile"));
    write("node", BusyNode.ofADay().window(), null);
    write("job", new Window(0, BusyNode.ofADay().window().untilNs()), "slurm:4036");
  }

  @AfterAll
  static void stop() throws Exception {
    browser.close();
  }

  private static void write(String name, Window window, String job) throws Exception {
    BusyNode node = BusyNode.ofADay();
    ReportRequest request =
        new ReportRequest(
            "gpu1", "UTC", window.untilNs(), window, null, job, Principal.root(), Map.of());
    ReportData data = new ReportBuilder(node, request, 1000).build();
    byte[] picture = ReportPicture.png(data);
    Files.write(PICTURES.resolve(name + "-picture.png"), picture);
    Files.writeString(PICTURES.resolve(name + ".html"), ReportPage.of(data, picture));
  }

  @ParameterizedTest
  @CsvSource({
    "node, wide, 1280, 900, false",
    "node, tablet, 820, 1180, true",
    "node, phone, 390, 844, false",
    "job, wide, 1280, 900, true"
  })
  void everyChartIsDrawnAndNothingIsWiderThanTheScreen(
      String page, String screen, int width, int height, boolean dark) throws Exception {
    browser.window(width, height, dark);
    browser.open(PICTURES.resolve(page + ".html"));
    browser.picture(PICTURES.resolve(page + "-" + screen + (dark ? "-dark" : "") + ".png"));
    assertEquals(List.of(), browser.complaints());
    JsonNode drawn = browser.evaluate(DRAWN);
    assertEquals(page.equals("node") ? 4 : 1, drawn.size());
    for (JsonNode points : drawn) {
      assertTrue(points.asInt() > 2000, "points drawn: " + drawn);
    }
    assertTrue(
        browser.evaluate("document.documentElement.scrollWidth").asInt() <= width,
        "a part of the page is out of sight");
    JsonNode contrast = browser.evaluate(CONTRAST);
    assertTrue(contrast.get("ratio").asDouble() >= 4.5, contrast.toString());
    assertEquals(
        dark,
        browser
            .evaluate("getComputedStyle(document.body).backgroundColor")
            .asText()
            .equals("rgb(20, 24, 29)"));
  }

  @Test
  void whoDoesNotSeeItCanReadIt() throws Exception {
    browser.window(1280, 900, false);
    browser.open(PICTURES.resolve("node.html"));
    assertEquals("en", browser.evaluate("document.documentElement.lang").asText());
    assertEquals(1, browser.evaluate("document.querySelectorAll('h1').length").asInt());
    for (String bare :
        List.of(
            "canvas:not([role=img][aria-label])",
            "table:not(:has(caption))",
            "th:not([scope])",
            "section:not([aria-labelledby])",
            "img:not([alt])")) {
      assertEquals(
          0, browser.evaluate("document.querySelectorAll('" + bare + "').length").asInt(), bare);
    }
    assertTrue(
        browser
            .evaluate("document.querySelector('header').innerText")
            .asText()
            .contains("Emulated GPUs."));
  }

  @Test
  void withoutJavaScriptThereIsAPicture() throws Exception {
    browser.window(1280, 900, false);
    browser.scripts(false);
    try {
      browser.open(PICTURES.resolve("node.html"));
      JsonNode root = browser.call("DOM.getDocument", p -> p.put("depth", 1)).get("root");
      int image =
          browser
              .call(
                  "DOM.querySelector",
                  p -> p.put("nodeId", root.get("nodeId").asInt()).put("selector", "noscript img"))
              .get("nodeId")
              .asInt();
      JsonNode box = browser.call("DOM.getBoxModel", p -> p.put("nodeId", image)).get("model");
      assertTrue(box.get("width").asInt() > 600 && box.get("height").asInt() > 600, "" + box);
      browser.picture(PICTURES.resolve("node-without-javascript.png"));
    } finally {
      browser.scripts(true);
    }
  }

  @Test
  void namesThatPeopleChoseAreNeverMarkup() throws Exception {
    List<String> names =
        List.of(
            "<script>window.hacked = 1</script>",
            "</script><script>window.hacked = 2</script>",
            "\"><img src=x onerror='window.hacked = 3'>",
            "' onmouseover='window.hacked = 4",
            "</title></style><svg onload=window.hacked=5>",
            "\u202Eevil\u0000<!--");
    MadeHistory made = new MadeHistory();
    for (int i = 0; i < names.size(); i++) {
      for (int again = 0; again < 3; again++) {
        made.jobs.add(
            MadeHistory.job(
                10 * i + again,
                names.get(i),
                1000 + i,
                List.of(0),
                60L * i,
                60L * i + 50,
                5,
                8,
                2));
      }
      made.devices.add(MadeHistory.device(60L * i, 0, 8, 2, names.get(i)));
    }
    ReportData data = made.report(MadeHistory.window(0, 600));
    Path page = folder.resolve("hostile.html");
    Files.writeString(page, ReportPage.of(data, null));
    browser.window(1280, 900, false);
    browser.open(page);
    assertEquals(List.of(), browser.complaints(), "the Content-Security-Policy had to stop it");
    assertEquals("undefined", browser.evaluate("typeof window.hacked").asText());
    assertEquals(3, browser.evaluate("document.scripts.length").asInt());
    assertEquals(0, browser.evaluate("document.querySelectorAll('img, svg').length").asInt());
    assertFalse(
        browser
            .evaluate(
                "[...document.querySelectorAll('*')].some(e =>"
                    + " [...e.attributes].some(a => a.name.startsWith('on')))")
            .asBoolean());
    String text = browser.evaluate("document.querySelector('main').innerText").asText();
    for (String name : names.subList(0, 5)) {
      assertTrue(text.contains(name), name);
    }
  }

  @Test
  void evenMarkupThatGotInWouldNotRun() throws Exception {
    Path page = folder.resolve("injected.html");
    String html = Files.readString(PICTURES.resolve("job.html"));
    Files.writeString(
        page,
        html.replace(
            "<main>",
            "<main><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"));
    browser.open(page);
    assertEquals("undefined", browser.evaluate("typeof window.hacked").asText());
    assertTrue(browser.complaints().size() >= 2, browser.complaints().toString());
  }

  @Test
  void itCanBePrinted() throws Exception {
    browser.window(1280, 900, false);
    browser.open(PICTURES.resolve("node.html"));
    JsonNode pdf = browser.call("Page.printToPDF", p -> p.put("printBackground", true));
    byte[] bytes = java.util.Base64.getDecoder().decode(pdf.get("data").asText());
    Files.write(PICTURES.resolve("node.pdf"), bytes);
    assertTrue(bytes.length > 50_000, bytes.length + " bytes of PDF");
  }
}
