package org.schedgpu.agent;

import java.nio.file.Files;
import java.nio.file.Path;
import org.schedgpu.agent.broker.BrokerKernel;
import org.schedgpu.agent.command.ExitCode;
import org.schedgpu.agent.command.NodeCommand;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.conf.DevicesConf;
import org.schedgpu.agent.log.AgentLog;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.setup.NodeFactsReader;
import org.schedgpu.agent.task.AgentLock;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.ServiceNotice;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code schedgpu agent}: the daemon of a node. */
@Command(
    name = "agent",
    description = {
      "Maintains this node as a daemon. Jobs also run without it.",
      "",
      "It detects dead processes at once, maintains the region, charges unreserved",
      "memory, serves clients with Mode=brokered, and logs events of jobs.",
      "Runs until SIGTERM, and does not go into the background; SIGHUP reads the",
      "configuration again. Started by systemd: systemctl enable --now schedgpu-agent."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Ended by a signal; with --check-config: the configuration is right.",
      "1:Another agent is running, or something else is wrong.",
      "2:Wrong usage.",
      "78:The configuration is wrong, or needs a newer kernel; systemd does not start the"
          + " agent again."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  schedgpu agent --check-config",
      "  schedgpu agent --foreground          by hand, to see what it does"
    })
final class AgentCommand extends NodeCommand {
  private static final int ROOT = 0;

  @Option(
      names = "--check-config",
      description = "Checks schedgpu.conf and devices.conf, and ends.")
  private boolean checkConfig;

  @Option(
      names = "--foreground",
      description = "For people: logs with the time of day, even where stderr is the journal.")
  private boolean foreground;

  @Option(
      names = "--node",
      paramLabel = "NAME",
      description = "Name of this node. Default: $$SLURMD_NODENAME, else the host's name.")
  private String node;

  /** The configuration is wrong, and stays so until the administrator corrects it. */
  static final class WrongConfiguration extends AgentException {
    private static final long serialVersionUID = 1L;

    private WrongConfiguration(AgentException wrong) {
      super(wrong.getMessage(), wrong);
    }
  }

  @Override
  public Integer call() {
    try {
      BrokerKernel.require(conf()); // reported as by every command, before the log starts
      if (checkConfig) {
        return check();
      }
    } catch (AgentException wrong) {
      throw new WrongConfiguration(wrong);
    }
    return serve();
  }

  private int check() {
    Conf conf = conf();
    String devices = devices(conf.devicesFile());
    out().println(conf.file() + (Files.exists(conf.file()) ? ": right" : ": none, defaults"));
    out().println(conf.devicesFile() + devices);
    return ExitCode.OK;
  }

  /** A node without GPUs needs neither file, so a missing file is only reported. */
  private String devices(Path file) {
    if (!Files.exists(file)) {
      return ": none: write it with schedgpu gres plan";
    }
    int count = DevicesConf.read(file, nodeName()).size();
    return count == 0
        ? ": right, but has no device of node " + nodeName()
        : ": right, " + Texts.count(count, "device", "devices") + " of node " + nodeName();
  }

  private int serve() {
    AgentLog.start(!foreground && AgentLog.isJournal(System.getenv()));
    ServiceNotice notice = ServiceNotice.of(System.getenv());
    try (AgentLock lock = AgentLock.take(runDir());
        Agent agent = new Agent(lock, this::readConf, nodeName(), notice)) {
      if (Posix.effectiveUid() != ROOT) {
        err().println("schedgpu: not root: processes of others are not seen or ended");
      }
      agent.run();
    }
    return ExitCode.OK;
  }

  private String nodeName() {
    return node != null ? node : NodeFactsReader.nodeName(System.getenv());
  }
}
