package org.schedgpu.rest;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.schedgpu.rest.generated.v0040.model.JobUpdate;
import org.schedgpu.rest.generated.v0040.model.JobsResponse;
import org.schedgpu.rest.generated.v0040.model.NodeUpdate;
import org.schedgpu.rest.generated.v0040.model.NodesResponse;
import org.schedgpu.rest.generated.v0040.model.PartitionsResponse;
import org.schedgpu.rest.generated.v0040.model.PingResponse;
import org.schedgpu.rest.generated.v0040.model.SubmitRequest;
import org.schedgpu.rest.generated.v0040.model.SubmitResponse;
import org.schedgpu.rest.generated.v0040.model.UpdateResponse;

/**
 * The fields of our specification of v0.0.40, as lines such as {@code get nodes/ answers
 * nodes[].gres string}: with our types, or with those that a slurmrestd announces at {@code
 * /openapi/v3}, and {@code absent} for fields that it lacks.
 */
final class ServedFields {
  private enum Side {
    ASKS,
    ANSWERS
  }

  private record Body(String method, String path, Side side, Class<?> model) {}

  private static final List<Body> BODIES =
      List.of(
          new Body("get", "ping/", Side.ANSWERS, PingResponse.class),
          new Body("get", "nodes/", Side.ANSWERS, NodesResponse.class),
          new Body("get", "node/{node_name}", Side.ANSWERS, NodesResponse.class),
          new Body("post", "node/{node_name}", Side.ASKS, NodeUpdate.class),
          new Body("post", "node/{node_name}", Side.ANSWERS, UpdateResponse.class),
          new Body("get", "partitions/", Side.ANSWERS, PartitionsResponse.class),
          new Body("get", "jobs/", Side.ANSWERS, JobsResponse.class),
          new Body("get", "job/{job_id}", Side.ANSWERS, JobsResponse.class),
          new Body("post", "job/{job_id}", Side.ASKS, JobUpdate.class),
          new Body("post", "job/{job_id}", Side.ANSWERS, UpdateResponse.class),
          new Body("delete", "job/{job_id}", Side.ANSWERS, UpdateResponse.class),
          new Body("post", "job/submit", Side.ASKS, SubmitRequest.class),
          new Body("post", "job/submit", Side.ANSWERS, SubmitResponse.class));

  private final JsonNode specification;
  private final List<String> lines = new ArrayList<>();

  private ServedFields(JsonNode specification) {
    this.specification = specification;
  }

  /** The fields as our specification has them. */
  static List<String> ours() {
    ServedFields fields = new ServedFields(null);
    BODIES.forEach(body -> fields.add(start(body), body.model(), null));
    return fields.lines;
  }

  /** The fields that a slurmrestd announces for a version such as {@code v0.0.45}. */
  static List<String> served(JsonNode specification, String version) {
    ServedFields fields = new ServedFields(specification);
    for (Body body : BODIES) {
      JsonNode paths = specification.path("paths");
      String path = "/slurm/" + version + "/" + body.path();
      // 23.11 lists the same paths without the last slash, and answers both.
      String listed = paths.has(path) ? path : path.replaceFirst("/$", "");
      JsonNode operation = paths.path(listed).path(body.method());
      JsonNode whole =
          body.side() == Side.ASKS
              ? operation.path("requestBody")
              : operation.path("responses").path("200");
      JsonNode schema = whole.path("content").path("application/json").path("schema");
      fields.add(start(body), body.model(), schema);
    }
    return fields.lines;
  }

  private static String start(Body body) {
    return "%s %s %s ".formatted(body.method(), body.path(), side(body));
  }

  private static String side(Body body) {
    return body.side().name().toLowerCase(Locale.ROOT);
  }

  private void add(String prefix, Class<?> model, JsonNode reference) {
    JsonNode schema = resolved(reference);
    Stream.of(model.getMethods())
        .filter(method -> method.isAnnotationPresent(JsonProperty.class))
        .filter(method -> method.getName().startsWith("get"))
        .sorted(Comparator.comparing(ServedFields::name))
        .forEach(getter -> addField(prefix, getter, schema));
  }

  private void addField(String prefix, Method getter, JsonNode schema) {
    String name = prefix + name(getter);
    JsonNode field = schema == null ? null : resolved(schema.path("properties").path(name(getter)));
    Type type = getter.getGenericReturnType();
    String brackets = "";
    if (type instanceof ParameterizedType list) {
      type = list.getActualTypeArguments()[0];
      brackets = "[]";
      field = field == null ? null : resolved(field.path("items"));
    }
    if (isModel(type) && (field == null || !field.isMissingNode())) {
      add(name + brackets + ".", (Class<?>) type, field);
      return;
    }
    lines.add(name + brackets + " " + (field == null ? ours(type) : theirs(field)));
  }

  private static String name(Method getter) {
    return getter.getAnnotation(JsonProperty.class).value();
  }

  private static boolean isModel(Type type) {
    return type.getTypeName().startsWith("org.schedgpu.rest.generated");
  }

  private static String ours(Type type) {
    return switch (((Class<?>) type).getSimpleName()) {
      case "Integer", "Long" -> "integer";
      default -> ((Class<?>) type).getSimpleName().toLowerCase(Locale.ROOT);
    };
  }

  private static String theirs(JsonNode field) {
    return field.path("type").asText("absent");
  }

  /** The target of a reference; null stays null. */
  private JsonNode resolved(JsonNode node) {
    JsonNode at = node;
    while (at != null && at.has("$ref")) {
      at = specification.at(at.get("$ref").asText().substring(1));
    }
    return at;
  }
}
