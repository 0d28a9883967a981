package org.schedgpu.agent.broker;

import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.Broker;

/** What Mode=brokered needs of the kernel. The call is tried, as a filter may refuse it, too. */
public final class BrokerKernel {
  /** What is missing where {@link Broker#isSupported} is false. */
  public static final String MISSING =
      "this system has no pidfd_open(2), which Linux has from 5.3 on, or a filter of system calls"
          + " refuses it";

  /** What to do about that. */
  public static final String TODO = "set Mode=shared, or start a newer kernel";

  private BrokerKernel() {}

  /**
   * Returns if the agent can serve clients, or need not.
   *
   * @throws AgentException it cannot, with Mode=brokered
   */
  public static void require(Conf conf) {
    if (conf.brokered() && !Broker.isSupported()) {
      throw new AgentException("Mode=brokered: %s: %s".formatted(MISSING, TODO));
    }
  }
}
