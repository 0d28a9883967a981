package org.schedgpu.model;

import java.util.List;
import org.schedgpu.jna.Policy;

/**
 * How a node is configured.
 *
 * @param overtakeLimit how often the oldest request may be overtaken; 0 = no limit
 * @param graceNs how long a budget stays reserved after its last use
 */
public record NodeSpec(
    List<DeviceSpec> devices, Policy policy, int overtakeLimit, long graceNs, DeadlockRule rule) {}
