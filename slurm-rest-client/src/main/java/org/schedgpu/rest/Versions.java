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

/** The versions of the API, and the client class for each supported one. */
final class Versions {
  static final int OLD_SHAPE = 38;
  static final int FIRST_OF_NEW_SHAPE = 40;
  static final int NEWEST = 45;

  private static final Pattern PATH = Pattern.compile("/slurm/v0\\.0\\.(\\d+)/.*");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Transport transport;
  private final SlurmRestAddress address;

  Versions(Transport transport, SlurmRestAddress address) {
    this.transport = transport;
    this.address = address;
  }

  ApiVersion client(int version) {
    return version == OLD_SHAPE ? old() : newer(version);
  }

  private ApiVersion old() {
    var client =
        new org.schedgpu.rest.generated.v0038.invoker.ApiClient(
            transport.client(),
            org.schedgpu.rest.generated.v0038.invoker.ApiClient.createDefaultObjectMapper(),
            address.baseUri());
    client.setRequestInterceptor(request -> transport.send(request, OLD_SHAPE, OLD_SHAPE));
    return new Api38(new org.schedgpu.rest.generated.v0038.SlurmApi(client));
  }

  private ApiVersion newer(int version) {
    var client =
        new org.schedgpu.rest.generated.v0040.invoker.ApiClient(
            transport.client(),
            org.schedgpu.rest.generated.v0040.invoker.ApiClient.createDefaultObjectMapper(),
            address.baseUri());
    client.setRequestInterceptor(request -> transport.send(request, FIRST_OF_NEW_SHAPE, version));
    return new Api40(new org.schedgpu.rest.generated.v0040.SlurmApi(client));
  }

  /** The newest version that slurmrestd serves and this client supports. */
  int choose() throws IOException, InterruptedException, SlurmRestException {
    NavigableSet<Integer> served = served();
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

  private NavigableSet<Integer> served()
      throws IOException, InterruptedException, SlurmRestException {
    return versionsIn(get("/openapi/v3", "openapi"));
  }

  /** What every answer reports about its Slurm. */
  Optional<String> release(int version)
      throws IOException, InterruptedException, SlurmRestException {
    JsonNode meta = get("/slurm/v0.0." + version + "/ping", "ping").path("meta");
    JsonNode slurm = meta.has("slurm") ? meta.path("slurm") : meta.path("Slurm");
    return Optional.ofNullable(slurm.path("release").textValue());
  }

  private JsonNode get(String path, String what)
      throws IOException, InterruptedException, SlurmRestException {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address.baseUri() + path));
    transport.authenticate(request);
    HttpResponse<InputStream> answer =
        transport.client().build().send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    String body;
    try (InputStream stream = answer.body()) {
      body = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }
    if (answer.statusCode() != 200) {
      throw new Failures(address).ofStatus(what, answer.statusCode(), body, null);
    }
    return JSON.readTree(body);
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
