package org.schedgpu.gres.site;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The changes of the site's files that were requested besides the counts. Immutable.
 *
 * @param accounting add the GRES of the plan to AccountingStorageTRES=
 * @param scaleBilling rewrite TRESBillingWeights= so that a share costs a share
 * @param constrainDevices set ConstrainDevices=yes in cgroup.conf
 * @param spankPlugin path of schedgpu.so, for a line in plugstack.conf
 * @param limits output of sacctmgr to be read instead of asking it
 * @param cliFilter schedGPU's lines for cli_filter.lua
 */
public record SiteRequest(
    boolean accounting,
    boolean scaleBilling,
    boolean constrainDevices,
    Optional<String> spankPlugin,
    Optional<Path> limits,
    Optional<String> cliFilter) {

  /** Without lines for cli_filter.lua. */
  public SiteRequest(
      boolean accounting,
      boolean scaleBilling,
      boolean constrainDevices,
      Optional<String> spankPlugin,
      Optional<Path> limits) {
    this(accounting, scaleBilling, constrainDevices, spankPlugin, limits, Optional.empty());
  }

  /** The counts only. */
  public static SiteRequest none() {
    return new SiteRequest(false, false, false, Optional.empty(), Optional.empty());
  }
}
