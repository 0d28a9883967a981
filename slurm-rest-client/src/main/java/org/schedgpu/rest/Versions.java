package org.schedgpu.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.schedgpu.rest.SlurmRestException.Kind;

/** Which versions of the API there are, which of them this client speaks, and with what. */
final class Versions {
  static final int OLD_SHAPE = 38;
  static final int FIRST_OF_NEW_SHAPE = 40;
  static final int NEWEST = 45;

  private static final Pattern PATH = Pattern.compile("/slurm/v0\\.0\\.(\\d+)/.*");
  private static final ObjectMapper JSON = new ObjectMapper();

  private Versions() {}

  static ApiVersion client(int version, Transport transport, SlurmRestAddress address) {
    return version == OLD_SHAPE ? old(transport, address) : newer(version, transport, address);
  }

  private static ApiVersion old(Transport transport, SlurmRestAddress address) {
    var client =
        new org.schedgpu.rest.generated.v0038.invoker.ApiClient(
            transport.client(),
            org.schedgpu.rest.generated.v0038.invoker.ApiClient.createDefaultObjectMapper(),
            address.baseUri());
    client.setRequestInterceptor(request -> transport.send(request, OLD_SHAPE, OLD_SHAPE));
    return new Api38(new org.schedgpu.rest.generated.v0038.SlurmApi(client));
  }

  private static ApiVersion newer(int version, Transport transport, SlurmRestAddress address) {
    var client =
        new org.schedgpu.rest.generated.v0040.invoker.ApiClient(
            transport.client(),
            org.schedgpu.rest.generated.v0040.invoker.ApiClient.createDefaultObjectMapper(),
            address.baseUri());
    client.setRequestInterceptor(request -> transport.send(request, FIRST_OF_NEW_SHAPE, version));
    return new Api40(new org.schedgpu.rest.generated.v0040.SlurmApi(client));
  }

  /** The newest version that slurmrestd serves and this client speaks. */
  static int choose(Transport transport, SlurmRestAddress address)
      throws IOException, InterruptedException, SlurmRestException {
    NavigableSet<Integer> served = served(transport, address);
    Optional<Integer> newest =
        served.descendingSet().stream().filter(Versions::isSpoken).findFirst();
    return newest.orElseThrow(
        () ->
            new SlurmRestException(
                Kind.UNSUPPORTED,
                "serves "
                    + (served.isEmpty() ? "no version of /slurm" : "v0.0." + served)
                    + ", and this client speaks v0.0.38 and v0.0.40 to v0.0.45: start slurmrestd"
                    + " with -s and one of these"));
  }

  private static boolean isSpoken(int version) {
    return version == OLD_SHAPE || (version >= FIRST_OF_NEW_SHAPE && version <= NEWEST);
  }

  private static NavigableSet<Integer> served(Transport transport, SlurmRestAddress address)
      throws IOException, InterruptedException, SlurmRestException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(address.baseUri() + "/openapi/v3"));
    transport.authenticate(request);
    HttpResponse<InputStream> answer =
        transport.client().build().send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    String body;
    try (InputStream stream = answer.body()) {
      body = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }
    if (answer.statusCode() != 200) {
      throw new Failures(address).ofStatus("openapi", answer.statusCode(), body, null);
    }
    return versionsIn(JSON.readTree(body));
  }

  static NavigableSet<Integer> versionsIn(JsonNode specification) {
    NavigableSet<Integer> versions = new TreeSet<>();
    Iterator<String> paths = specification.path("paths").fieldNames();
    while (paths.hasNext()) {
      Matcher matcher = PATH.matcher(paths.next());
      if (matcher.matches()) {
        versions.add(Integer.valueOf(matcher.group(1)));
      }
    }
    return versions;
  }
}
