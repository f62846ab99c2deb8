package redlatch.interop;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** Named arguments of a request. */
record Args(JsonObject json) {

  boolean has(String name) {
    return json.has(name);
  }

  /** Milliseconds, permits and the like. */
  long number(String name) {
    return json.get(name).getAsLong();
  }

  long number(String name, long otherwise) {
    return has(name) ? number(name) : otherwise;
  }

  int count(String name, int otherwise) {
    return (int) number(name, otherwise);
  }

  String text(String name) {
    return json.get(name).getAsString();
  }

  List<String> texts(String name) {
    var texts = new ArrayList<String>();
    for (JsonElement element : json.getAsJsonArray(name)) {
      texts.add(element.getAsString());
    }
    return texts;
  }

  boolean flag(String name) {
    return has(name) && json.get(name).getAsBoolean();
  }

  /** The other form of a method, which answers later and keeps no thread. */
  boolean isAsync() {
    return flag("async");
  }
}
