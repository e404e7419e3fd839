import java.io.File;
import java.net.InetSocketAddress;
import org.eclipse.jgit.transport.Daemon;
import org.eclipse.jgit.transport.ReceiveCommand;
import org.eclipse.jgit.transport.ReceivePack;
import org.eclipse.jgit.transport.resolver.FileResolver;

/**
 * Serves the bare repositories below a folder by JGit, to readers and writers:
 * JGitDaemon PORT FOLDER. While a repository has a file named "frozen" in it,
 * what it says is why every push to it is refused; with a file named
 * "frozen-order", pushes of refs below refs/dos/order are, and others are not.
 */
public final class JGitDaemon {
  public static void main(String[] args) throws Exception {
    Daemon daemon = new Daemon(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])));
    daemon.setRepositoryResolver(new FileResolver<>(new File(args[1]), true));
    daemon.getService("git-receive-pack").setEnabled(true);
    daemon.setReceivePackFactory((client, repository) -> {
      ReceivePack pack = new ReceivePack(repository);
      pack.setPreReceiveHook((p, commands) -> {
        File dir = p.getRepository().getDirectory();
        for (ReceiveCommand c : commands) {
          boolean order = c.getRefName().startsWith("refs/dos/order/");
          if (new File(dir, "frozen").exists() || order && new File(dir, "frozen-order").exists()) {
            c.setResult(ReceiveCommand.Result.REJECTED_OTHER_REASON, "frozen until Monday");
          }
        }
      });
      return pack;
    });
    daemon.start();
  }
}
