/* SPDX-License-Identifier: MIT
 * What a page of a report has to keep, asked of the page as it is drawn: names of controls and
 * pictures, order of headings, contrast, links, width, labels of charts that lie over each other.
 * faults() gives a sentence for each that does not hold. */
function faults() {
  const out = [], all = s => [...document.querySelectorAll(s)];
  const short = e => '<' + e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') +
    (e.getAttribute('class') ? '.' + e.getAttribute('class').split(' ').join('.') : '') + '> "' +
    (e.textContent || '').trim().slice(0, 40) + '"';
  const seen = e => { const r = e.getBoundingClientRect(), s = getComputedStyle(e);
    return r.width > 0 && r.height > 0 && s.visibility !== 'hidden' && s.display !== 'none'; };

  /* the document */
  if (!document.documentElement.lang) out.push('the page has no language');
  if (!document.title.trim()) out.push('the page has no title');
  if (document.compatMode !== 'CSS1Compat') out.push('the page is in quirks mode');
  if (all('h1').length !== 1) out.push('there are ' + all('h1').length + ' h1');
  let level = 0;
  for (const h of all('h1,h2,h3,h4,h5,h6')) {
    const k = +h.tagName[1];
    if (k > level + 1) out.push('heading ' + short(h) + ' follows one of level ' + level);
    if (!h.textContent.trim()) out.push('an empty ' + short(h));
    level = k;
  }
  if (all('main').length !== 1) out.push('there is not one <main>');
  const ids = all('[id]').map(e => e.id);
  for (const id of new Set(ids.filter((x, k) => ids.indexOf(x) !== k))) out.push('two elements have the id ' + id);
  for (const e of all('a[href^="#"]'))
    if (e.getAttribute('href').length > 1 && !document.getElementById(e.getAttribute('href').slice(1)))
      out.push('a link to nothing: ' + e.getAttribute('href'));
  for (const attribute of ['for', 'aria-labelledby', 'aria-describedby', 'aria-controls'])
    for (const e of all('[' + attribute + ']'))
      for (const id of e.getAttribute(attribute).split(/\s+/))
        if (!document.getElementById(id)) out.push(attribute + ' of ' + short(e) + ' names nothing');

  /* names of controls and pictures */
  const name = e => (e.getAttribute('aria-label') || '').trim() ||
    (e.getAttribute('aria-labelledby') || '').split(/\s+/).map(i => (document.getElementById(i) || {}).textContent || '').join('').trim() ||
    (e.labels && [...e.labels].map(l => l.textContent).join('').trim()) ||
    (/^(A|BUTTON|SUMMARY)$/.test(e.tagName) ? e.textContent.trim() : '');
  for (const e of all('button,select,input,textarea,a[href],summary'))
    if (!name(e)) out.push('a control without a name: ' + short(e));
  for (const e of all('svg,canvas,img')) {
    if (e.closest('[aria-hidden="true"]')) continue;
    const t = e.querySelector && e.querySelector(':scope > title');
    if (!(e.getAttribute('aria-label') || e.getAttribute('alt') || (t && t.textContent)))
      out.push('a picture without words: ' + short(e));
    else if (e.tagName !== 'IMG' && e.getAttribute('role') !== 'img') out.push('a picture without its role: ' + short(e));
  }
  for (const t of all('table')) {
    if (!t.querySelector('th')) out.push('a table without headings: ' + short(t));

    const wide = [...t.rows].map(r => [...r.cells].reduce((a, c) => a + c.colSpan, 0));
    if (new Set(wide).size > 1 && !t.querySelector('[rowspan]')) out.push('rows of different lengths in ' + short(t));
  }
  if (/\b(NaN|undefined|Infinity|null|\[object)\b/.test(document.body.innerText)) out.push('the text has NaN, undefined, null or the like: ' +
    document.body.innerText.match(/.{0,30}\b(NaN|undefined|Infinity|null|\[object)\b.{0,30}/)[0]);
  if (/(^|[^a-z-])(nan|-?inf)([^a-z]|$)/.test(document.body.innerText)) out.push('the text has a C nan or inf: ' +
    document.body.innerText.match(/.{0,30}(^|[^a-z-])(nan|-?inf)([^a-z]|$).{0,30}/)[0]);
  for (const e of all('svg *'))
    for (const a of ['d', 'x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'width', 'height', 'points', 'transform'])
      if (/nan|inf/i.test(e.getAttribute(a) || '')) out.push('a place that is no number in a chart: ' + short(e) + ' ' + e.getAttribute(a).slice(0, 60));

  /* contrast: of the text with what lies under it */
  const number = c => { const m = c.match(/[\d.]+/g); return m ? m.map(Number) : [0, 0, 0, 0]; };
  const mix = (a, b) => { const t = a.length > 3 ? a[3] : 1; return [0, 1, 2].map(k => a[k] * t + b[k] * (1 - t)); };
  const light = c => { const v = c.slice(0, 3).map(x => { x /= 255; return x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4; });
    return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
  const ratio = (a, b) => { const p = light(a), q = light(b); return (Math.max(p, q) + .05) / (Math.min(p, q) + .05); };
  const under = e => { const layers = [];
    for (let x = e; x; x = x.parentElement) { const c = number(getComputedStyle(x).backgroundColor);
      if (!(c.length > 3 && c[3] === 0)) { layers.push(c); if (c.length < 4) break; } }
    return layers.reverse().reduce((b, c) => mix(c, b), [255, 255, 255]); };
  const strength = e => { let t = 1; for (let x = e; x; x = x.parentElement) t *= +getComputedStyle(x).opacity; return t; };
  /* in a chart: the last filled shape drawn before the text and around its middle */
  const shape = (e, b) => { const m = e.getBoundingClientRect(), x = (m.left + m.right) / 2, y = (m.top + m.bottom) / 2; let c = b;
    for (const s of e.ownerSVGElement.querySelectorAll('rect,circle')) {
      if (!(s.compareDocumentPosition(e) & 4)) break;
      const r = s.getBoundingClientRect(), f = getComputedStyle(s).fill;
      if (f !== 'none' && r.left <= x && x <= r.right && r.top <= y && y <= r.bottom) c = mix([...number(f).slice(0, 3), strength(s)], c);
    } return c; };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), told = new Set();
  for (let n = walk.nextNode(); n; n = walk.nextNode()) {
    const e = n.parentElement;
    if (!n.textContent.trim() || !e || e.closest('script,style,noscript,title,option,.sr') || !seen(e)) continue;
    const s = getComputedStyle(e), chart = e.ownerSVGElement;
    const back = chart ? shape(e.closest('text') || e, under(chart.parentElement)) : under(e);
    const ink = number(chart ? s.fill : s.color), have = mix([...ink.slice(0, 3), (ink.length > 3 ? ink[3] : 1) * strength(e)], back);
    const r = ratio(have, back), key = s.color + s.fill + back;
    if (r < 4.5 && !told.has(key)) { told.add(key); out.push('contrast ' + r.toFixed(2) + ' of ' + short(e)); }
  }
  for (const e of all('svg.chart path,svg.chart line,svg.chart polyline')) {
    const s = getComputedStyle(e), svg = e.ownerSVGElement, stroke = number(s.stroke), back = under(svg.parentElement);
    if (s.stroke === 'none' || parseFloat(s.strokeWidth) < 1.5 || e.closest('.quiet')) continue;
    const r = ratio(mix([...stroke.slice(0, 3), strength(e)], back), back), key = 'line' + s.stroke + back;
    if (r < 3 && !told.has(key)) { told.add(key); out.push('contrast ' + r.toFixed(2) + ' of a line in "' + svg.getAttribute('aria-label') + '"'); }
  }

  /* nothing sticks out, no label lies over another */
  const room = document.documentElement.clientWidth;
  if (document.scrollingElement.scrollWidth > room) {
    const far = all('body *').filter(e => e.getBoundingClientRect().right > room + 1 && !e.closest('.scroll') && !e.closest('svg *')).pop();
    out.push('the page is wider than the window: ' + document.scrollingElement.scrollWidth + ' of ' + room + (far ? ', ' + short(far) : ''));
  }
  for (const svg of all('svg.chart')) {
    if (!seen(svg)) continue;
    const box = svg.getBoundingClientRect(), label = svg.getAttribute('aria-label') || '';
    const words = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim()).map(t => [t, t.getBoundingClientRect()]);
    for (const [t, r] of words)
      if (r.left < box.left - 3 || r.right > box.right + 3 || r.top < box.top - 3 || r.bottom > box.bottom + 3) {
        out.push('a label leaves its chart "' + label + '": ' + short(t)); break; }
    pairs: for (let i = 0; i < words.length; i++)
      for (let j = i + 1; j < words.length; j++) {
        const a = words[i][1], b = words[j][1];
        const w = Math.min(a.right, b.right) - Math.max(a.left, b.left), h = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (w > 1.5 && h > 3.5) { out.push('labels over each other in "' + label + '": ' + short(words[i][0]) + ' and ' + short(words[j][0])); break pairs; }
      }
  }
  return out;
}
