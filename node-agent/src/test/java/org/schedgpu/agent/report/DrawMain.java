package org.schedgpu.agent.report;

import java.nio.file.*;
import org.schedgpu.agent.sight.Viewer;

final class DrawMain {
  public static void main(String[] a) throws Exception {
    BusyNode n = BusyNode.ofADay();
    Path out = Path.of(a[0]);
    Files.createDirectories(out);
    ReportData d =
        new ReportBuilder(
                n,
                new ReportRequest(
                    "gpu1", "UTC", n.window().untilNs(), n.window(), null, null, Viewer.root()),
                100000)
            .build();
    byte[] png = ReportPicture.png(d);
    Files.write(out.resolve("node.png"), png);
    Files.writeString(out.resolve("node.html"), ReportPage.of(d, png));
    Files.writeString(out.resolve("node.json"), org.schedgpu.agent.JsonText.of(Records.toMap(d)));
    ReportData j =
        new ReportBuilder(
                n,
                new ReportRequest(
                    "gpu1",
                    "UTC",
                    n.window().untilNs(),
                    new Window(0, n.window().untilNs()),
                    null,
                    "slurm:4050",
                    Viewer.root()),
                100000)
            .build();
    png = ReportPicture.png(j);
    Files.write(out.resolve("job.png"), png);
    Files.writeString(out.resolve("job.html"), ReportPage.of(j, png));
    System.out.println(d.comparison());
  }
}
