package org.schedgpu.minicluster;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** Asks slurmrestd as root with a JWT. */
final class RestCalls {
  private RestCalls() {}

  static int status(String url, MiniCluster cluster) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .version(HttpClient.Version.HTTP_1_1)
            .header("X-SLURM-USER-NAME", "root")
            .header("X-SLURM-USER-TOKEN", cluster.restToken("root"))
            .build();
    try {
      return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode();
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      throw Waiting.interrupted(e);
    }
  }
}
