package org.schedgpu.papers.paper002;

import org.schedgpu.jna.Policy;

/**
 * The policies of the paper, which are the core's.
 *
 * @param fifo of the schedGPU paper, too
 * @param hpfw high priority first wake
 * @param smHpfw small memory, high priority first wake
 * @param rbdm reservation by priority, then FIFO
 * @param rbdmHpfw reservation by priority, then HPFW
 * @param rbdmSmHpfw reservation by priority, then SM-HPFW
 */
record Policies(
    Policy fifo, Policy hpfw, Policy smHpfw, Policy rbdm, Policy rbdmHpfw, Policy rbdmSmHpfw) {

  static Policies ofTheCore() {
    return new Policies(
        named("fifo"),
        named("hpfw"),
        named("sm-hpfw"),
        named("rbdm"),
        named("rbdm-hpfw"),
        named("rbdm-sm-hpfw"));
  }

  private static Policy named(String name) {
    return Policy.of(name)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "papers: the core has no policy " + name + ": build all of one version"));
  }
}
