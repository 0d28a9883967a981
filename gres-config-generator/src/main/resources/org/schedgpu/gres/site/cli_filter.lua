-- BEGIN schedgpu cli_filter
-- Written by schedgpu gres plan --cli-filter, which replaces these lines.
-- A job that says --schedgpu-mem and asks for no GPU gets the GRES for it: shards, gpumem, or one virtual GPU.
do
  local kind, unit_mib = "@KIND@", @UNIT_MIB@
  local asks = {"gres", "gpus", "gpus-per-node", "gpus-per-socket", "gpus-per-task", "tres-per-task"}
  local site_pre_submit = slurm_cli_pre_submit

  local function given(value)
    return value ~= nil and value ~= "" and value ~= "unset"
  end

  -- The option as the SPANK plugin has it; an exported SCHEDGPU_MEM asks for no GPU.
  local function memory(options)
    local spank = options["spank"]
    local ours = type(spank) == "table" and spank["schedgpu"] or nil
    local value = type(ours) == "table" and ours["schedgpu-mem"] or nil
    return given(value) and value or nil
  end

  -- MiB, rounded up; nil for a percentage.
  local function mebibytes(size)
    local number, unit = string.match(string.upper(size), "^%s*(%d+)([KMGT]?)I?B?%s*$")
    local in_kib = {K = 1, M = 1024, [""] = 1024, G = 1024 ^ 2, T = 1024 ^ 3}
    return number and math.ceil(tonumber(number) * in_kib[unit] / 1024)
  end

  local function gres(size)
    if kind == "gpu" then
      return "gpu:1"
    end
    local mib = mebibytes(size)
    if not mib then
      return nil
    end
    if kind == "gpumem" then
      return string.format("gpu:1,gpumem:%.0fM", mib)
    end
    return string.format("shard:%.0f", math.ceil(mib / unit_mib))
  end

  local function add_gres(options)
    local size = memory(options)
    local is_step = options["type"] == "srun" and os.getenv("SLURM_JOB_ID") ~= nil
    if not size or is_step then
      return slurm.SUCCESS
    end
    for _, option in ipairs(asks) do
      if given(options[option]) then
        return slurm.SUCCESS
      end
    end
    local wanted = gres(size)
    if not wanted then
      slurm.log_error("schedgpu: --schedgpu-mem=%s alone does not say how much of which GPU: " ..
        "give a size such as 6G, or add --gres", size)
      return slurm.ERROR
    end
    options["gres"] = wanted
    return slurm.SUCCESS
  end

  slurm_cli_pre_submit = function(options, offset)
    local rc = add_gres(options)
    if rc == slurm.SUCCESS and site_pre_submit then
      return site_pre_submit(options, offset)
    end
    return rc
  end
  slurm_cli_setup_defaults = slurm_cli_setup_defaults or function() return slurm.SUCCESS end
  slurm_cli_post_submit = slurm_cli_post_submit or function() return slurm.SUCCESS end
end
-- END schedgpu cli_filter
