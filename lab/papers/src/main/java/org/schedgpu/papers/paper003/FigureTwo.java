package org.schedgpu.papers.paper003;

import java.awt.image.BufferedImage;
import java.util.List;
import org.schedgpu.papers.common.Lines;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Picture;
import org.schedgpu.papers.common.Row;
import org.schedgpu.papers.common.Table;
import org.schedgpu.papers.remote.NodeModel;

/** Figure 2, the model: transfer time against size and streams on the link. */
final class FigureTwo {
  private static final double MB = 1e6;
  private static final double[] SIZES_MB = {1, 64, 128, 256, 512, 1024};
  private static final int[] OTHERS = {0, 2, 4, 6, 8};
  private static final double LARGE_BYTES = 100e9;

  private final NodeModel model = NodeModel.testBed();

  Part part() {
    double aloneS = model.remoteS(LARGE_BYTES, 1, 1);
    List<Row> rows =
        List.of(
            Row.of(
                "overhead of rCUDA on the bandwidth (%)",
                9,
                100 * (aloneS / (LARGE_BYTES / model.networkBytesPerS()) - 1),
                1,
                "Equation 1 with an overhead of 1.09."),
            Row.of(
                "latency of a small transfer (ms)",
                3.47,
                1000 * model.remoteS(1, 1, 1),
                2,
                "Equation 1; the latency of the network is left out, as in the paper."),
            share("bandwidth beside 6 other streams (of the whole)", 6, aloneS),
            share("bandwidth beside 8 other streams (of the whole)", 8, aloneS));
    return new Part(
        "003",
        "Figure 2: transfers to a remote GPU, the model",
        List.of(
            "Equations 1 and 2 with the values of section 2.1.1: 6.38 GB/s, an overhead of 1.09 and"
                + " 3.47 ms for each transfer. A transfer beside k others has 1 / (k + 1) of the"
                + " link. The measured points of the figure are not in the text of the paper."),
        List.of(Table.comparison("The model of Figure 2", rows)),
        List.of(
            new Picture(
                "003-figure-2.png",
                "Time of a cudaMemcpy to a remote GPU by equations 1 and 2",
                this::chart)),
        List.of());
  }

  private Row share(String what, int others, double aloneS) {
    return Row.of(
        what,
        1.0 / (others + 1),
        aloneS / model.remoteS(LARGE_BYTES, 1, others + 1),
        3,
        "Equation 2; the paper says one-" + (others == 6 ? "seventh." : "ninth."));
  }

  private BufferedImage chart() {
    Lines lines =
        new Lines("Figure 2: cudaMemcpy with rCUDA (model)", "MB transferred", "milliseconds");
    for (int others : OTHERS) {
      double[] ms = new double[SIZES_MB.length];
      for (int i = 0; i < ms.length; i++) {
        ms[i] = 1000 * model.remoteS(SIZES_MB[i] * MB, 1, others + 1);
      }
      lines.line(others + " other streams", SIZES_MB, ms);
    }
    return lines.draw();
  }
}
