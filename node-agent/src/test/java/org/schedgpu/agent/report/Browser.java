package org.schedgpu.agent.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Chromium without a window, with its own profile, driven by the DevTools protocol. */
final class Browser {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long PATIENCE_S = 300;

  private final Process process;
  private final WebSocket socket;
  private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
  private final Map<String, CompletableFuture<JsonNode>> events = new ConcurrentHashMap<>();
  private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
  private int number;

  /** Starts it. */
  Browser(Path profile) throws Exception {
    process = start(profile);
    socket = connect(profile);
    for (String domain : List.of("Page", "Runtime", "Log", "DOM", "Network")) {
      call(domain + ".enable", parameters -> {});
    }
  }

  private static Process start(Path profile) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "chromium",
                "--headless=new",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "--no-first-run",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-extensions",
                "--hide-scrollbars"));
    if (System.getProperty("user.name").equals("root")) {
      command.add("--no-sandbox"); // Chromium's sandbox needs another user
    }
    command.add("about:blank");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("HOME", profile.toString());
    builder.environment().put("TMPDIR", profile.getParent().toString());
    return builder
        .redirectErrorStream(true)
        .redirectOutput(profile.resolveSibling("chromium.log").toFile())
        .start();
  }

  private WebSocket connect(Path profile) throws Exception {
    Path port = profile.resolve("DevToolsActivePort");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
    while (!Files.exists(port) || Files.readAllLines(port).size() < 2) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        throw new AssertionError(
            "chromium did not start:\n" + Files.readString(profile.resolveSibling("chromium.log")));
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
    HttpClient client = HttpClient.newHttpClient();
    URI pages = URI.create("http://127.0.0.1:" + Files.readAllLines(port).get(0) + "/json/list");
    String list = "";
    while (System.nanoTime() < deadline) { // it listens before it has opened its page
      list = client.send(HttpRequest.newBuilder(pages).build(), BodyHandlers.ofString()).body();
      for (JsonNode page : JSON.readTree(list)) {
        if (page.get("type").asText().equals("page")) {
          return client
              .newWebSocketBuilder()
              .buildAsync(
                  URI.create(page.get("webSocketDebuggerUrl").asText()),
                  new Listener(this::receive))
              .get(PATIENCE_S, TimeUnit.SECONDS);
        }
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
    throw new AssertionError("chromium has no page: " + list);
  }

  /** Joins messages that come in parts. */
  private static final class Listener implements WebSocket.Listener {
    private final Consumer<String> consumer;
    private final StringBuilder message = new StringBuilder();

    private Listener(Consumer<String> consumer) {
      this.consumer = consumer;
    }

    @Override
    public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
      message.append(data);
      if (last) {
        consumer.accept(message.toString());
        message.setLength(0);
      }
      webSocket.request(1);
      return null;
    }
  }

  private void receive(String text) {
    JsonNode message;
    try {
      message = JSON.readTree(text);
    } catch (IOException impossible) {
      throw new AssertionError(impossible);
    }
    if (message.has("id")) {
      answers.remove(message.get("id").asInt()).complete(message);
      return;
    }
    String event = message.get("method").asText();
    JsonNode about = message.get("params");
    boolean console =
        event.equals("Runtime.consoleAPICalled")
            && List.of("error", "warning", "assert").contains(about.get("type").asText());
    boolean request =
        event.equals("Network.requestWillBeSent")
            && !about.at("/request/url").asText().startsWith("file:")
            && !about.at("/request/url").asText().startsWith("data:");
    if (console
        || request
        || event.equals("Runtime.exceptionThrown")
        || event.equals("Log.entryAdded")) {
      complaints.add(text);
    }
    CompletableFuture<JsonNode> awaited = events.remove(event);
    if (awaited != null) {
      awaited.complete(about);
    }
  }

  /** Calls a method of the protocol; returns its result. */
  JsonNode call(String method, Consumer<ObjectNode> parameters) throws Exception {
    ObjectNode message = JSON.createObjectNode();
    message.put("id", ++number);
    message.put("method", method);
    parameters.accept(message.putObject("params"));
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    answers.put(number, answer);
    socket.sendText(message.toString(), true).get(PATIENCE_S, TimeUnit.SECONDS);
    JsonNode result = answer.get(PATIENCE_S, TimeUnit.SECONDS);
    if (result.has("error")) {
      throw new AssertionError(method + ": " + result.get("error"));
    }
    return result.get("result");
  }

  /** Sets the size of its window, and whether the user prefers dark colours. */
  void window(int width, int height, boolean dark) throws Exception {
    call(
        "Emulation.setDeviceMetricsOverride",
        p ->
            p.put("width", width)
                .put("height", height)
                .put("deviceScaleFactor", 1)
                .put("mobile", width < 600));
    call(
        "Emulation.setEmulatedMedia",
        p ->
            p.putArray("features")
                .addObject()
                .put("name", "prefers-color-scheme")
                .put("value", dark ? "dark" : "light"));
  }

  void scripts(boolean allowed) throws Exception {
    call("Emulation.setScriptExecutionDisabled", p -> p.put("value", !allowed));
  }

  /** Opens a file, and waits until it is loaded. */
  void open(Path file) throws Exception {
    complaints.clear();
    CompletableFuture<JsonNode> loaded = new CompletableFuture<>();
    events.put("Page.loadEventFired", loaded);
    call("Page.navigate", p -> p.put("url", file.toUri().toString()));
    loaded.get(PATIENCE_S, TimeUnit.SECONDS);
  }

  /** The value of an expression in the page. */
  JsonNode evaluate(String expression) throws Exception {
    JsonNode result =
        call(
            "Runtime.evaluate",
            p ->
                p.put("expression", expression)
                    .put("returnByValue", true)
                    .put("awaitPromise", true));
    if (result.has("exceptionDetails")) {
      throw new AssertionError(expression + ": " + result.get("exceptionDetails"));
    }
    return result.get("result").path("value");
  }

  /** Of the open page: errors, warnings, and every request to a network. */
  List<String> complaints() {
    return List.copyOf(complaints);
  }

  /** A picture of the whole page. */
  void picture(Path file) throws Exception {
    JsonNode picture =
        call(
            "Page.captureScreenshot",
            p -> p.put("format", "png").put("captureBeyondViewport", true));
    Files.write(file, Base64.getDecoder().decode(picture.get("data").asText()));
  }

  void close() throws Exception {
    socket.abort();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().waitFor();
  }
}
