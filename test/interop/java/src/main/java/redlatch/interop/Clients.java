package redlatch.interop;

import com.google.gson.JsonObject;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;
import org.redisson.config.NameMapper;
import org.redisson.config.ShardedSubscriptionMode;

/** Makes Redisson clients with the settings that matter on the wire. */
final class Clients {
  private Clients() {}

  static RedissonClient open(JsonObject json) {
    var args = new Args(json);
    var config = new Config();
    config.setLockWatchdogTimeout(args.number("leaseMs", 30_000));
    config.setFairLockWaitTimeout(args.number("fairWaitMs", 300_000));
    if (args.has("keyPrefix")) {
      config.setNameMapper(new Prefix(args.text("keyPrefix")));
    }
    if (args.has("nodes")) {
      var cluster = config.useClusterServers();
      args.texts("nodes").forEach(cluster::addNodeAddress);
      cluster.setScanInterval(1_000);
      if (args.has("sharded")) {
        cluster.setShardedSubscriptionMode(ShardedSubscriptionMode.valueOf(args.text("sharded")));
      }
      name(cluster);
      cluster.setMasterConnectionMinimumIdleSize(1).setMasterConnectionPoolSize(16);
    } else {
      var server = config.useSingleServer().setAddress(args.text("url"));
      name(server);
      server.setConnectionMinimumIdleSize(1).setConnectionPoolSize(16);
    }
    return Redisson.create(config);
  }

  /** CLIENT LIST then tells whose a connection is. */
  private static void name(BaseConfig<?> server) {
    server.setClientName("java");
  }

  /** What `keyPrefix` is on the other side. */
  private record Prefix(String prefix) implements NameMapper {
    @Override
    public String map(String name) {
      return prefix + name;
    }

    @Override
    public String unmap(String name) {
      return name.substring(prefix.length());
    }
  }
}
