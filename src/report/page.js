'use strict';
(function () {
const $ = s => document.querySelector(s), all = s => document.querySelectorAll(s);
const D = JSON.parse($('#data').textContent);

/* Light or dark: by the system, or by the button from then on. */
const dark = () => {
  const t = document.documentElement.dataset.theme;
  return !onPaper && (t ? t === 'dark' : matchMedia('(prefers-color-scheme:dark)').matches);
};
let onPaper = false;
let redraw = () => {};
$('#theme').hidden = false;
$('#theme').onclick = () => {
  document.documentElement.dataset.theme = dark() ? 'light' : 'dark';
  redraw();
};
matchMedia('(prefers-color-scheme:dark)').addEventListener('change', () => redraw());

/* On paper everything is open, and light. */
addEventListener('beforeprint', () => {
  onPaper = true;
  all('details').forEach(d => { d.dataset.was = d.open ? 1 : ''; d.open = true; });
  redraw();
});
addEventListener('afterprint', () => {
  onPaper = false;
  all('details').forEach(d => { d.open = !!d.dataset.was; });
  redraw();
});

/* Tables that a heading sorts: by the numbers in data-v, or by the words; first the largest. */
all('table.sort').forEach(t => t.querySelectorAll('thead th').forEach((h, k) => {
  if ('plain' in h.dataset) return;
  const b = document.createElement('button'), body = t.tBodies[0];
  const key = r => { const v = r.cells[k].dataset.v; return v === undefined ? r.cells[k].textContent.trim().toLowerCase() : +v; };
  b.type = 'button';
  b.append(...h.childNodes);
  h.append(b);
  b.onclick = () => {
    const down = h.getAttribute('aria-sort') !== 'descending';
    t.querySelectorAll('thead th').forEach(x => x.removeAttribute('aria-sort'));
    h.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const rows = [...body.rows].map(r => [key(r), r]), last = x => Number.isNaN(x);
    rows.sort(([x], [y]) => last(x) - last(y) || (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1));
    body.append(...rows.map(r => r[1]));
  };
}));

if (D.view) view(D.view);

function view(V) {
  const bytes = t => Uint8Array.from(atob(t), c => c.charCodeAt(0));
  const floats = t => new Float32Array(bytes(t).buffer);
  const dim = V.dim, order = dim.length, n = dim.reduce((a, b) => a * b, 1);
  const stride = dim.map((_, m) => dim.slice(m + 1).reduce((a, b) => a * b, 1));

  /* The sparse part: gaps (255: no entry here, go on) and values of 16 bits, bent by sinh; the
     residual in steps, 8 or 4 bits an entry around the middle, the last code: not observed. */
  const sparse = new Float32Array(n);
  {
    const gap = bytes(V.gaps), value = new Uint16Array(bytes(V.values).buffer);
    let at = -1, k = 0;
    for (const g of gap) {
      at += g;
      if (g < 255) sparse[at] = V.scale * Math.sinh((value[k++] - 32768) / 32767 * V.bend);
    }
  }
  const codes = V.bits ? bytes(V.residual) : null, middle = V.bits === 8 ? 127 : 7;
  const code = k => !codes ? middle : V.bits === 8 ? codes[k] : k & 1 ? codes[k >> 1] >> 4 : codes[k >> 1] & 15;
  const rest = k => V.bits ? (code(k) - middle) * V.step : 0;

  /* The low-rank part, from its factors or entry by entry (16 bits). */
  const factor = V.factors ? V.factors.map(floats) : null;
  const core = V.core ? floats(V.core) : null;
  const dense = V.dense ? new Uint16Array(bytes(V.dense).buffer) : null;
  const modeOf = a => V.modes.findIndex(g => g.includes(a));
  const row = (m, i) => V.modes[m].reduce((s, a) => s * dim[a] + i[a], 0);

  /* The core contracted with the rows of all modes but r and c: ranks of r times ranks of c. */
  function contract(i, r, c) {
    const R = V.ranks;
    if (!core) {
      const g = new Float64Array(R[0]).fill(1);
      for (let m = 0; m < R.length; m++) if (m !== r && m !== c)
        for (let k = 0; k < R[0]; k++) g[k] *= factor[m][row(m, i) * R[0] + k];
      return g;
    }
    const out = new Float64Array(R[r] * (r === c ? 1 : R[c])), j = R.map(() => 0);
    for (let k = 0; k < core.length; k++) {
      let x = core[k];
      for (let m = 0; m < R.length; m++) if (m !== r && m !== c) x *= factor[m][row(m, i) * R[m] + j[m]];
      out[r === c ? j[r] : j[r] * R[c] + j[c]] += x;
      for (let m = R.length - 1; m >= 0 && ++j[m] === R[m]; m--) j[m] = 0;
    }
    return out;
  }
  /* The picture over the axes a (down) and b (across), at the index i of the others. */
  function lowSlice(i, a, b) {
    const out = new Float64Array(dim[a] * dim[b]), at = i.slice();
    if (dense) {
      for (let y = 0; y < dim[a]; y++) for (let x = 0; x < dim[b]; x++) {
        at[a] = y; at[b] = x;
        out[y * dim[b] + x] = V.base + V.unit * dense[place(at)];
      }
      return out;
    }
    const r = modeOf(a), c = modeOf(b), g = contract(i, r, c), Rr = V.ranks[r], Rc = V.ranks[c];
    const left = new Float64Array(Rc);
    for (let y = 0; y < dim[a]; y++) {
      at[a] = y;
      if (r !== c) {
        at[b] = i[b];
        const p = row(r, at) * Rr;
        for (let q = 0; q < Rc; q++) {
          if (!core) { left[q] = g[q] * factor[r][p + q]; continue; }
          let s = 0;
          for (let k = 0; k < Rr; k++) s += factor[r][p + k] * g[k * Rc + q];
          left[q] = s;
        }
      }
      for (let x = 0; x < dim[b]; x++) {
        at[b] = x;
        const p = row(c, at) * Rc, w = r === c ? g : left;
        let s = 0;
        for (let q = 0; q < Rc; q++) s += w[q] * factor[c][p + q];
        out[y * dim[b] + x] = s;
      }
    }
    return out;
  }
  const place = i => i.reduce((s, x, m) => s + x * stride[m], 0);

  /* Colours: 256 of each map. */
  const hex = h => [1, 3, 5].map(k => parseInt(h.substr(k, 2), 16));
  const mix = (a, b, t) => a.map((x, k) => Math.round(x + (b[k] - x) * t));
  const viridis = ['#440154', '#482878', '#3e4989', '#31688e', '#26828e', '#1f9e89', '#35b779', '#6ece58', '#b5de2b', '#fde725'].map(hex);
  function colours(kind) {
    const paper = hex(dark() ? '#14171b' : '#ffffff');
    return Array.from({ length: 256 }, (_, k) => {
      const t = k / 255;
      if (kind === 'gray') return mix([0, 0, 0], [255, 255, 255], t);
      if (kind === 'seq') { const u = t * 9, j = Math.min(8, u | 0); return mix(viridis[j], viridis[j + 1], u - j); }
      const w = Math.pow(Math.max(0, Math.abs(k - 127.5) - .5) / 127, .75);
      return mix(paper, hex(t < .5 ? dark() ? '#6cb2f2' : '#08519c' : dark() ? '#ff8f6b' : '#b3200c'), w);
    });
  }

  let along = V.along;
  const at = dim.map(d => d >> 1);
  at[along] = V.first;
  let a = 0, b = 0, up = false, slices = {}, cross = null;
  const numeric = m => !!V.axes[m].at;
  /* Which axes are drawn: down and across. */
  function choose() {
    const free = order === 2 ? [0, 1] : dim.map((_, m) => m).filter(m => m !== along).slice(-2);
    [a, b] = free;
    up = numeric(a) && numeric(b) && !V.picture;
    if ((up && dim[a] > dim[b]) || (!V.picture && !up && dim[a] > 2 * dim[b])) [a, b] = [b, a];
  }
  const word = (m, k) => {
    const x = V.axes[m];
    return x.words ? x.words[k] : x.at ? String(+x.at[k].toPrecision(6)).replace('-', '\u2212') : String(k * V.steps[m] + 1);
  };
  const named = (m, k) => V.axes[m].name + (V.axes[m].plain ? ' index ' : ' ') + word(m, k) + (x => x.at && x.unit ? ' ' + x.unit : '')(V.axes[m]);
  const digits = x => (x < 0 ? '\u2212' : '') + Math.abs(x).toFixed(V.digits);

  function compute() {
    const low = lowSlice(at, a, b), N = dim[a] * dim[b], i = at.slice();
    slices = { lowrank: low, data: new Float64Array(N), sparse: new Float64Array(N), residual: new Float64Array(N), unseen: new Uint8Array(N) };
    for (let y = 0; y < dim[a]; y++) for (let x = 0; x < dim[b]; x++) {
      i[a] = y; i[b] = x;
      const k = place(i), q = y * dim[b] + x;
      slices.unseen[q] = code(k) === 2 * middle + 1 ? 1 : 0;
      slices.sparse[q] = sparse[k];
      slices.residual[q] = slices.unseen[q] ? 0 : rest(k);
      slices.data[q] = low[q] + sparse[k] + slices.residual[q];
    }
  }
  function paint(fig) {
    const part = fig.dataset.part, [lo, hi] = V.range[part], L = colours(V.map[part]);
    const cv = fig.querySelector('canvas'), x = cv.getContext('2d');
    cv.width = dim[b]; cv.height = dim[a];
    const im = x.createImageData(dim[b], dim[a]), s = slices[part], hole = hex(dark() ? '#3a424d' : '#d5dbe3');
    for (let q = 0; q < s.length; q++) {
      const y = up ? dim[a] - 1 - (q / dim[b] | 0) : q / dim[b] | 0, p = 4 * (y * dim[b] + q % dim[b]);
      const c = slices.unseen[q] && part !== 'lowrank' ? hole : L[Math.max(0, Math.min(255, Math.round((s[q] - lo) / (hi - lo) * 255)))];
      im.data[p] = c[0]; im.data[p + 1] = c[1]; im.data[p + 2] = c[2]; im.data[p + 3] = 255;
    }
    x.putImageData(im, 0, 0);
    const shape = dim[b] / dim[a];
    cv.style.aspectRatio = V.picture ? shape : Math.max(1.25, Math.min(2.4, shape));
    const bar = fig.querySelector('.cb i');
    if (bar) bar.style.background = 'linear-gradient(90deg,' + [0, 32, 64, 96, 128, 160, 192, 224, 255].map(k => 'rgb(' + L[k].join(',') + ')').join(',') + ')';
    frame(fig.querySelector('.plot'));
  }
  /* Ticks and names around a picture; frames of a video have none. */
  function frame(el) {
    el.querySelectorAll('.tick,.ax,.ay').forEach(x => x.remove());
    const bare = V.picture && along === V.along;
    el.classList.toggle('bare', bare);
    if (bare) return;
    for (const [m, kind] of [[b, 'tx'], [a, 'ty']]) {
      for (const [k, text] of ticks(m)) {
        const s = document.createElement('span'), q = (k + .5) / dim[m] * 100;
        s.className = 'tick ' + kind;
        s.textContent = text.length > 9 ? text.slice(0, 8) + '\u2026' : text;
        if (kind === 'tx') s.style.left = q + '%'; else s.style.top = (up ? 100 - q : q) + '%';
        el.append(s);
      }
      const l = document.createElement('span');
      l.className = kind === 'tx' ? 'ax' : 'ay';
      l.textContent = V.axes[m].name + (V.axes[m].unit ? ' (' + V.axes[m].unit + ')' : '');
      el.append(l);
    }
  }
  function ticks(m) {
    const x = V.axes[m], N = dim[m], most = m === b ? 6 : 5, out = [];
    if (!x.at || N < 2) {
      const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find(s => N / s <= most + 3) || N;
      for (let k = x.words ? 0 : every === 1 ? 0 : every - 1; k < N; k += every) out.push([k, word(m, k)]);
      return out;
    }
    const from = Math.min(x.at[0], x.at[N - 1]), to = Math.max(x.at[0], x.at[N - 1]);
    const raw = (to - from) / most, p = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].map(s => s * p).find(s => s >= raw * .999);
    for (let v = Math.ceil(from / step - 1e-9) * step; v <= to + 1e-9 * step; v += step) {
      let k = 0;
      while (k < N - 2 && (x.at[k + 1] - v) * (x.at[0] - v) > 0) k++;
      out.push([k + (v - x.at[k]) / (x.at[k + 1] - x.at[k] || 1), String(+v.toPrecision(6)).replace('-', '\u2212')]);
    }
    return out;
  }

  const slider = $('#slice'), where = $('#where'), mode = $('#mode'), read = $('#read'), play = $('#play'), more = $('#more');
  function draw() {
    choose();
    compute();
    if (slider) {
      slider.max = dim[along] - 1;
      slider.value = at[along];
      where.value = named(along, at[along]);
      slider.setAttribute('aria-valuetext', where.value);
    }
    all('[data-part]').forEach(paint);
    tell();
  }
  function tell() {
    all('.cross').forEach(x => x.remove());
    if (!cross) { read.textContent = V.hint; return; }
    const i = at.slice(), q = cross[0] * dim[b] + cross[1];
    i[a] = cross[0]; i[b] = cross[1];
    read.textContent = i.map((k, m) => named(m, k)).join(', ') + ': ' + (slices.unseen[q] ? 'not observed; low-rank ' + digits(slices.lowrank[q])
      : V.names.data + ' ' + digits(slices.data[q]) + ' = ' + V.names.lowrank + ' ' + digits(slices.lowrank[q]) + ' + ' + V.names.sparse + ' ' + digits(slices.sparse[q]) + ' + residual ' + digits(slices.residual[q]));
    all('[data-part] .plot').forEach(el => {
      const s = document.createElement('span');
      s.className = 'cross';
      s.style.left = (cross[1] + .5) / dim[b] * 100 + '%';
      s.style.top = ((up ? dim[a] - 1 - cross[0] : cross[0]) + .5) / dim[a] * 100 + '%';
      el.append(s);
    });
  }
  /* The other axes of arrays with more than three. */
  function others() {
    if (!more) return;
    more.textContent = '';
    choose();
    dim.forEach((d, m) => {
      if (m === a || m === b || m === along) return;
      const line = document.createElement('div'), label = document.createElement('label'), s = document.createElement('input'), o = document.createElement('output');
      line.className = 'bar';
      label.textContent = 'at ' + V.axes[m].name;
      label.htmlFor = s.id = 'slice' + m;
      s.type = 'range'; s.min = 0; s.max = d - 1; s.value = at[m];
      s.oninput = () => { at[m] = +s.value; o.value = named(m, at[m]); draw(); };
      o.value = named(m, at[m]);
      line.append(label, s, o);
      more.append(line);
    });
  }
  function turn(m) {
    along = m;
    cross = null;
    if (mode) mode.value = m;
    others();
    draw();
  }
  if (slider) slider.oninput = () => { at[along] = +slider.value; draw(); };
  if (mode) mode.onchange = () => turn(+mode.value);
  all('[data-go]').forEach(x => x.addEventListener('click', () => {
    x.dataset.go.split(',').forEach((k, m) => { if (k !== '') at[m] = Math.min(dim[m] - 1, Math.round(+k / V.steps[m])); });
    turn(V.along);
    if (x.dataset.go.split(',').every(k => k !== '')) {
      const i = x.dataset.go.split(',').map((k, m) => Math.min(dim[m] - 1, Math.round(+k / V.steps[m])));
      cross = [i[a], i[b]];
      tell();
    }
  }));
  let timer = null;
  if (play) play.onclick = () => {
    if (timer) { clearInterval(timer); timer = null; play.textContent = 'Play'; return; }
    play.textContent = 'Pause';
    timer = setInterval(() => { at[along] = (at[along] + 1) % dim[along]; draw(); }, 110);
  };
  all('[data-part] canvas').forEach(cv => {
    const point = e => {
      const r = cv.getBoundingClientRect();
      const x = Math.floor((e.clientX - r.left) / r.width * dim[b]), y = Math.floor((e.clientY - r.top) / r.height * dim[a]);
      if (x < 0 || y < 0 || x >= dim[b] || y >= dim[a]) return;
      cross = [up ? dim[a] - 1 - y : y, x];
      tell();
    };
    cv.addEventListener('pointermove', point);
    cv.addEventListener('pointerdown', point);
    cv.addEventListener('pointerleave', () => { if (document.activeElement !== cv) { cross = null; tell(); } });
    cv.addEventListener('keydown', e => {
      const go = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [up ? 1 : -1, 0], ArrowDown: [up ? -1 : 1, 0] }[e.key];
      if (!go) return;
      e.preventDefault();
      cross = cross || [dim[a] >> 1, dim[b] >> 1];
      cross = [Math.max(0, Math.min(dim[a] - 1, cross[0] + go[0])), Math.max(0, Math.min(dim[b] - 1, cross[1] + go[1]))];
      tell();
    });
  });
  redraw = draw;
  $('#view').hidden = false;
  others();
  draw();
}
})();
