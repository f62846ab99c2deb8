package redlatch.interop;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.redisson.api.RedissonClient;

/**
 * Redisson, driven from outside. Each line of standard input is a request, each line of standard
 * output the answer to one:
 *
 * <pre>
 * {"id":1,"client":"a","op":"open","args":{"url":"redis://127.0.0.1:7000"}}
 * {"id":2,"client":"a","thread":"t","op":"lock.lock","name":"tickets","args":{}}
 * {"id":2,"value":null}   or   {"id":2,"error":"IllegalMonitorStateException","message":"..."}
 * </pre>
 *
 * <p>Requests of one thread run one after the other on a Java thread of their own, since Redisson's
 * locks belong to threads. The program ends with its standard input, and lets no lock go.
 */
public final class Main {
  private static final Gson GSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

  private final Map<String, RedissonClient> clients = new ConcurrentHashMap<>();
  private final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();
  private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);

  private Main() {}

  /** Reads requests until there are no more. */
  public static void main(String[] args) throws IOException {
    new Main().serve();
    // Whatever is still held stays so until its lease ends, as after a crash.
    Runtime.getRuntime().halt(0);
  }

  private void serve() throws IOException {
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      var request = GSON.fromJson(line, JsonObject.class);
      var client = request.get("client").getAsString();
      var thread = request.has("thread") ? request.get("thread").getAsString() : "main";
      threads
          .computeIfAbsent(client + "/" + thread, Main::newThread)
          .execute(() -> answer(request, client));
    }
  }

  private static ExecutorService newThread(String name) {
    return Executors.newSingleThreadExecutor(
        task -> {
          var thread = new Thread(task, name);
          thread.setDaemon(true);
          return thread;
        });
  }

  private void answer(JsonObject request, String client) {
    long id = request.get("id").getAsLong();
    try {
      Object value = run(request, client);
      if (value instanceof CompletionStage<?> later) {
        later.whenComplete(
            (result, error) -> {
              if (error == null) {
                reply(id, result);
              } else {
                refuse(id, error);
              }
            });
      } else {
        reply(id, value);
      }
    } catch (Throwable error) {
      refuse(id, error);
    }
  }

  private Object run(JsonObject request, String client) throws Exception {
    var op = request.get("op").getAsString();
    var args = request.has("args") ? request.getAsJsonObject("args") : new JsonObject();
    if (op.equals("open")) {
      var opened = Clients.open(args);
      clients.put(client, opened);
      return opened.getId();
    }
    var redisson = clients.get(client);
    if (op.equals("close")) {
      redisson.shutdown();
      return null;
    }
    var name = request.has("name") ? request.get("name").getAsString() : "";
    if (op.startsWith("red.")) {
      var locks =
          new Args(args).texts("clients").stream().map(each -> clients.get(each).getLock(name));
      return Operations.red(locks, op.substring(4), new Args(args));
    }
    return Operations.run(op, redisson, name, new Args(args));
  }

  private void reply(long id, Object value) {
    var answer = new LinkedHashMap<String, Object>();
    answer.put("id", id);
    answer.put("value", value);
    print(answer);
  }

  /** Redisson wraps what a script raised; the innermost cause says what happened. */
  private void refuse(long id, Throwable error) {
    var cause = error;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    var answer = new LinkedHashMap<String, Object>();
    answer.put("id", id);
    answer.put("error", cause.getClass().getSimpleName());
    answer.put("message", String.valueOf(cause.getMessage()));
    print(answer);
  }

  private synchronized void print(Map<String, Object> answer) {
    out.println(GSON.toJson(answer));
    out.flush();
  }
}
