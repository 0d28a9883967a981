// Draws the courses in time of a report with Chart.js. Everything else in the page is plain HTML.
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
  const STEPS = [
    SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE,
    30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY,
  ];
  const SIDE = 52;
  const drawn = [];
  const dark = matchMedia('(prefers-color-scheme: dark)');

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
  const format = (options) => new Intl.DateTimeFormat('en-GB', {timeZone: data.timeZone, ...options});
  const clock = format({hour: '2-digit', minute: '2-digit'});
  const clockWithSeconds = format({hour: '2-digit', minute: '2-digit', second: '2-digit'});
  const day = format({day: 'numeric', month: 'short'});
  const moment = format({day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit'});

  // How far the clock of the node's time zone is ahead of UTC, at the window's beginning.
  function zoneOffsetMs() {
    const part = {};
    for (const {type, value} of format({
      year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23',
    }).formatToParts(data.fromMs)) part[type] = Number(value);
    const local = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second);
    return local - Math.floor(data.fromMs / SECOND) * SECOND;
  }
  const offset = zoneOffsetMs();

  // Round moments, as many as there is room for.
  function timeTicks(axis) {
    const room = Math.max(2, Math.floor(axis.chart.width / 90));
    const step = STEPS.find((one) => (data.untilMs - data.fromMs) / one <= room) || STEPS[STEPS.length - 1];
    axis.ticks = [];
    const first = Math.ceil((data.fromMs + offset) / step) * step - offset;
    for (let at = first; at <= data.untilMs; at += step) axis.ticks.push({value: at});
    axis.stepMs = step;
  }

  function timeLabel(value) {
    const midnight = (value + offset) % DAY === 0;
    if (midnight || this.stepMs >= DAY) return day.format(value);
    return (this.stepMs < MINUTE ? clockWithSeconds : clock).format(value);
  }

  const points = (chart, values, scale) => chart.timeMs.map((x, i) => ({x, y: values[i] === null ? null : values[i] / scale}));
  const known = (values) => values.some((value) => value !== null);

  function line(label, chart, values, scale, border, more) {
    return {
      label, data: points(chart, values, scale), borderColor: colour(border), backgroundColor: colour(border),
      borderWidth: 1.6, pointRadius: 0, pointHitRadius: 6, stepped: 'before', spanGaps: false, ...more,
    };
  }

  const filled = (name, more) => ({fill: 'origin', backgroundColor: colour(name + '-fill'), borderWidth: 1, ...more});

  const gib = (total) => ({beginAtZero: true, title: 'GiB', max: Math.max(...total) / 1024});

  const MAKERS = {
    memory(chart) {
      const sets = [
        line('in use', chart, chart.inUse, 1024, 'used', filled('used')),
        line('granted', chart, chart.granted, 1024, 'granted', filled('granted')),
      ];
      if (known(chart.nvml)) sets.unshift(line('used, says NVML', chart, chart.nvml, 1024, 'nvml', {borderDash: [2, 2]}));
      sets.push(line('total', chart, chart.total, 1024, 'total', {borderDash: [7, 4]}));
      return {sets, axes: {y: gib(chart.total)}};
    },
    activity(chart) {
      const sets = [];
      if (known(chart.utilisation)) {
        sets.push(line('utilisation', chart, chart.utilisation, 1, 'utilisation', {yAxisID: 'percent', stepped: false}));
      }
      sets.push(line('jobs that wait', chart, chart.waiting, 1, 'waiting', filled('waiting')));
      sets.push(line('jobs that hold memory', chart, chart.jobs, 1, 'jobs', {borderDash: [5, 2]}));
      return {sets, axes: {y: {beginAtZero: true, title: 'jobs', precision: 0, suggestedMax: 4}, percent: {min: 0, max: 100, title: '%', right: true}}};
    },
    turns(chart) {
      const sets = [
        line('processes that wait for a turn', chart, chart.waiting, 1, 'waiting', filled('waiting')),
        line('lanes', chart, chart.lanes, 1, 'jobs', {borderDash: [5, 2]}),
      ];
      return {sets, axes: {y: {beginAtZero: true, title: 'lanes', precision: 0, suggestedMax: 4}}};
    },
    job(chart) {
      const sets = [
        line('in use by this job', chart, chart.inUse, 1024, 'used', filled('used')),
        line('held by this job', chart, chart.held, 1024, 'granted', filled('granted')),
        line('held by its neighbours', chart, chart.others, 1024, 'others', {borderDash: [5, 2], borderWidth: 2}),
      ];
      const level = (value) => chart.timeMs.map(() => value);
      if (chart.requested) sets.push(line('asked for', chart, level(chart.requested), 1024, 'nvml', {borderDash: [2, 2]}));
      sets.push(line('total', chart, level(chart.total), 1024, 'total', {borderDash: [7, 4]}));
      return {sets, axes: {y: gib([chart.total])}};
    },
  };

  function axis(spec) {
    return {
      position: spec.right ? 'right' : 'left', beginAtZero: spec.beginAtZero, min: spec.min, max: spec.max,
      title: {display: true, text: spec.title, color: colour('faint')},
      ticks: {color: colour('faint'), precision: spec.precision, maxTicksLimit: 7},
      grid: {color: colour('line'), drawOnChartArea: !spec.right}, border: {display: false},
      suggestedMax: spec.suggestedMax,
      // The same room on both sides, so that all times of a device are below each other.
      afterFit: (scale) => { scale.width = SIDE; },
    };
  }

  function draw(chart) {
    const {sets, axes} = MAKERS[chart.kind](chart);
    const scales = {
      x: {
        type: 'linear', min: data.fromMs, max: data.untilMs, afterBuildTicks: timeTicks,
        ticks: {callback: timeLabel, color: colour('faint'), autoSkip: false, maxRotation: 0},
        grid: {color: colour('line')}, border: {color: colour('line')},
      },
    };
    for (const [name, spec] of Object.entries(axes)) {
      if (name !== 'percent' || known(chart.utilisation)) scales[name] = axis(spec);
    }
    const unit = (item) => (item.dataset.yAxisID === 'percent' ? ' %' : axes.y.title === 'GiB' ? ' GiB' : '');
    const digits = (item) => (unit(item) === ' GiB' ? item.parsed.y.toFixed(1) : String(item.parsed.y));
    return new Chart(document.getElementById(chart.canvas), {
      type: 'line', data: {datasets: sets},
      options: {
        animation: false, layout: {padding: {right: scales.percent ? 0 : SIDE}}, responsive: true, maintainAspectRatio: false, parsing: false, normalized: true,
        interaction: {mode: 'index', intersect: false, axis: 'x'}, scales,
        plugins: {
          legend: {align: 'start', labels: {color: colour('text'), boxWidth: 22, boxHeight: 2, usePointStyle: false}},
          tooltip: {callbacks: {
            title: (items) => (items.length ? moment.format(items[0].parsed.x) : ''),
            label: (item) => item.dataset.label + ': ' + digits(item) + unit(item),
          }},
        },
      },
    });
  }

  function drawAll() {
    document.documentElement.classList.add('drawn');
    for (const old of drawn.splice(0)) old.destroy();
    for (const chart of data.charts) drawn.push(draw(chart));
    document.documentElement.dataset.charts = drawn.length;
  }

  // Paper is white and narrower than the window.
  addEventListener('beforeprint', () => drawn.forEach((chart) => chart.resize(680, chart.height)));
  addEventListener('afterprint', () => drawn.forEach((chart) => chart.resize()));
  dark.addEventListener('change', drawAll);
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  drawAll();
})();
