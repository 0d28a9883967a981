package org.schedgpu.simulator.answer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.schedgpu.simulator.input.LeftOut;
import org.schedgpu.simulator.result.Gain;
import org.schedgpu.simulator.result.Recommendation;
import org.schedgpu.simulator.result.Summary;

class AnswerPageTest {
  private static final int WHITE = 0xffffffff;

  private static Summary summary(String name, long overLimit, Gain gain) {
    return new Summary(name, 10, 0, 60, 90, 3600, 7200, 1.5, 12.25, 4, 61, overLimit, gain);
  }

  private static Answer answer(int configurations, Gain gain) {
    List<Summary> summaries = new ArrayList<>(List.of(summary("exclusive", 0, null)));
    for (int i = 1; i <= configurations; i++) {
      summaries.add(summary("shares " + i + " fifo", i == 2 ? 3 : 0, gain));
    }
    return new Answer(
        10,
        2,
        8,
        12,
        Map.of("has no <GPU>", new LeftOut.Reason(2, List.of("line 3 (job \"1&2\")"))),
        3,
        Map.of("is <down>", new LeftOut.Reason(1, List.of("g1"))),
        List.of(),
        List.of("jobs need 1G"),
        summaries,
        new Recommendation("shares 1 fifo", "because."));
  }

  private static BufferedImage image(Answer answer) throws IOException {
    return ImageIO.read(new ByteArrayInputStream(AnswerPicture.png(answer)));
  }

  @Test
  void thePageHasARowForEachConfigurationAndMarksTheRecommendedOne() {
    String page = AnswerPage.of(answer(2, new Gain(25, 9, 20.04, 30.0)), new byte[] {1, 2});
    for (String text :
        List.of(
            "<h1>10 jobs on 2 nodes with 8 GPUs</h1>",
            "<p class=\"verdict\">recommended: shares 1 fifo: because.</p>",
            "<tr><th scope=\"row\">exclusive</th><td>1m00s</td>",
            "<tr class=\"chosen\"><th scope=\"row\">shares 1 fifo</th>",
            "<td>25.0 %</td><td>20.0 to 30.0</td><td>4.0 %</td><td>1m01s</td></tr>",
            "<li>shares 2 fifo: 3 jobs exceed their time limit</li>",
            "<li>jobs need 1G</li>",
            "base64,AQI=")) {
      assertTrue(page.contains(text), text + page);
    }
  }

  @Test
  void whatIsOfTheInputIsEscaped() {
    String page = AnswerPage.of(answer(1, new Gain(25, 9, 20.0, 30.0)), new byte[0]);
    assertTrue(
        page.contains("has no &lt;GPU&gt;: line 3 (job &quot;1&amp;2&quot;), ...</li>"), page);
    assertTrue(page.contains("left out: 1 of 3 nodes: is &lt;down&gt;: g1</li>"), page);
  }

  @Test
  void anUncertainGainIsToldAsSuch() {
    String page = AnswerPage.of(answer(1, new Gain(25, 3, null, null)), new byte[0]);
    assertTrue(page.contains("<td>25.0 %</td><td>not known</td>"), page);
  }

  @Test
  void thePictureHasSomethingOfEveryChart() throws IOException {
    for (Gain gain : List.of(new Gain(25, 9, 20.0, 30.0), new Gain(-5, 3, null, null))) {
      BufferedImage image = image(answer(3, gain));
      for (int chart = 0; chart < 3; chart++) {
        int top = image.getHeight() - (3 - chart) * 330 + 60;
        boolean drawn = false;
        for (int x = 100; x < image.getWidth() - 100; x++) {
          drawn |= image.getRGB(x, top + 120) != WHITE;
        }
        assertTrue(drawn, "chart " + chart + " " + gain);
      }
    }
  }

  /** What the answer is not about is said in the picture, too. */
  @Test
  void thePictureHasALineForWhatIsLeftOut() throws IOException {
    Answer all = answer(1, new Gain(25, 9, 20.0, 30.0));
    Answer known =
        new Answer(
            10,
            2,
            8,
            12,
            Map.of(),
            3,
            Map.of(),
            List.of(),
            all.assumptions(),
            all.summaries(),
            all.recommendation());
    assertTrue(image(known).getHeight() < image(all).getHeight());
  }

  /** Where there is no bar, there are words. */
  @Test
  void chartsOfEqualConfigurationsSayIt() throws IOException {
    Gain much = new Gain(25, 9, 20.0, 30.0);
    Gain nothing = new Gain(0, 9, 0.0, 0.0);
    Gain tiny = new Gain(0.01, 9, 0.0, 0.02);
    assertEquals(0, darkInTheMiddle(2, 4, much));
    assertEquals(0, darkInTheMiddle(2, 4, much, nothing));
    assertTrue(darkInTheMiddle(2, 4, nothing) > 500);
    assertTrue(darkInTheMiddle(2, 4, tiny) > 500);
    assertEquals(0, darkInTheMiddle(1, 4, much));
    assertTrue(darkInTheMiddle(1, 0, much) > 500);
    assertTrue(darkInTheMiddle(1, 0.01, much) > 500);
  }

  @Test
  void aChartWithOneBarHasNoWords() throws IOException {
    List<Summary> two = List.of(summary("a", 4), summary("b", 0), summary("c", 4));
    assertEquals(0, darkInTheMiddle(1, two));
  }

  private static Summary summary(String name, double losePercent) {
    return new Summary(
        name,
        10,
        0,
        60,
        90,
        3600,
        7200,
        1.5,
        12.25,
        losePercent,
        61,
        0,
        new Gain(25, 9, 20.0, 30.0));
  }

  /**
   * Pixels of letters in the middle of a chart, counted from the last one.
   *
   * @param gains of the configurations
   */
  private static int darkInTheMiddle(int chart, double losePercent, Gain... gains)
      throws IOException {
    List<Summary> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      all.add(
          new Summary(
              "shares " + i,
              10,
              0,
              60,
              90,
              3600,
              7200,
              1.5,
              12.25,
              losePercent,
              61,
              0,
              i == 0 ? null : gains[i % gains.length]));
    }
    return darkInTheMiddle(chart, all);
  }

  private static int darkInTheMiddle(int chart, List<Summary> all) throws IOException {
    BufferedImage image =
        image(
            new Answer(
                10,
                2,
                8,
                12,
                Map.of(),
                2,
                Map.of(),
                List.of(),
                List.of(),
                all,
                answer(1, null).recommendation()));
    int y = image.getHeight() - chart * 330 + 165;
    int dark = 0;
    for (int x = 100; x < image.getWidth() - 100; x++) {
      for (int row = y - 14; row < y + 4; row++) {
        int rgb = image.getRGB(x, row);
        boolean isDark = (rgb & 0xff) + (rgb >> 8 & 0xff) + (rgb >> 16 & 0xff) < 240;
        dark += isDark ? 1 : 0;
      }
    }
    return dark;
  }

  @Test
  void manyConfigurationsMakeThePictureWiderAndOneAloneNeedsNoComparison() throws IOException {
    Gain gain = new Gain(25, 9, 20.0, 30.0);
    assertTrue(image(answer(40, gain)).getWidth() > image(answer(3, gain)).getWidth());
    assertTrue(image(answer(0, gain)).getHeight() < image(answer(3, gain)).getHeight());
  }
}
