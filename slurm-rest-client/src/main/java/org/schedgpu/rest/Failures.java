package org.schedgpu.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import org.schedgpu.rest.SlurmRestException.Kind;

/** Texts for failures: slurmrestd's own message, if there is one. */
final class Failures {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int LONGEST_TEXT = 300;

  /**
   * Error numbers of slurm/slurm_errno.h that slurmctld returns; slurmrestd's own begin at 9000.
   */
  private static final long FIRST_OF_SLURMCTLD = 2000;

  private static final long END_OF_SLURMCTLD = 9000;

  private final SlurmRestAddress address;

  Failures(SlurmRestAddress address) {
    this.address = address;
  }

  SlurmRestException of(String what, Exception failure) {
    if (failure instanceof SlurmRestException e) {
      return with(e.kind(), what, e.getMessage(), e);
    }
    if (failure instanceof org.schedgpu.rest.generated.v0038.invoker.ApiException e) {
      return ofApi(what, e.getCode(), e.getResponseBody(), e);
    }
    if (failure instanceof org.schedgpu.rest.generated.v0040.invoker.ApiException e) {
      return ofApi(what, e.getCode(), e.getResponseBody(), e);
    }
    return ofTransport(what, failure);
  }

  private SlurmRestException ofApi(String what, int status, String body, Exception e) {
    return status == 0 && e.getCause() instanceof Exception cause
        ? ofTransport(what, cause)
        : ofStatus(what, status, body, e);
  }

  private SlurmRestException ofTransport(String what, Exception e) {
    if (isNobodyThere(e)) {
      return with(
          Kind.UNREACHABLE, what, "no answer: does slurmrestd run, and is this its address?", e);
    }
    if (e instanceof JsonProcessingException json) {
      return with(Kind.MALFORMED, what, "no JSON as expected: " + json.getOriginalMessage(), e);
    }
    if (e instanceof IOException) {
      return with(Kind.MALFORMED, what, "the answer broke off: " + e.getMessage(), e);
    }
    return with(Kind.MALFORMED, what, e.toString(), e);
  }

  /** Nothing was sent, so the call can be repeated in any case. */
  static boolean isNobodyThere(Throwable e) {
    return e instanceof ConnectException
        || e instanceof NoSuchFileException
        || (e instanceof java.net.SocketException
            && String.valueOf(e.getMessage()).contains("No such file"));
  }

  SlurmRestException ofStatus(String what, int status, String body, Exception e) {
    List<String> errors = new ArrayList<>();
    boolean authentication = status == 401 || status == 403;
    boolean answered = status != 404; // otherwise 404 means an unknown path, or an unknown job
    for (JsonNode error : errorsIn(body)) {
      long number = error.path("error_number").asLong(error.path("errno").asLong());
      authentication |= number == Answers.AUTHENTICATION_ERROR;
      answered |= isSlurmctlds(number);
      errors.add(
          Answers.error(
              error.path("description").asText(""), error.path("error").asText(""), number));
    }
    String said = errors.isEmpty() ? shortened(body) : String.join("; ", errors);
    String text = "status " + status + (said.isEmpty() ? "" : ": " + said);
    if (authentication) {
      text += ": give a user and a fresh token (scontrol token)";
      return with(Kind.UNAUTHORIZED, what, text, e);
    }
    if (!answered) {
      return with(Kind.UNSUPPORTED, what, text + ": this slurmrestd does not serve that", e);
    }
    return with(status == 405 ? Kind.UNSUPPORTED : Kind.REFUSED, what, text, e);
  }

  /** From Slurm 24.11 on an unknown job is 404 too, with slurmctld's own number (2017). */
  private static boolean isSlurmctlds(long number) {
    return number >= FIRST_OF_SLURMCTLD && number < END_OF_SLURMCTLD;
  }

  private static Iterable<JsonNode> errorsIn(String body) {
    try {
      JsonNode root = JSON.readTree(body == null ? "" : body);
      return root == null ? List.of() : root.path("errors");
    } catch (JsonProcessingException e) {
      return List.of(); // plain text is shown as it is
    }
  }

  private static String shortened(String body) {
    String line = body == null ? "" : body.strip().replaceAll("\\s+", " ");
    return line.length() <= LONGEST_TEXT ? line : line.substring(0, LONGEST_TEXT) + "...";
  }

  SlurmRestException with(Kind kind, String what, String text, Exception cause) {
    return new SlurmRestException(kind, address.uri() + ": " + what + ": " + text, cause);
  }
}
