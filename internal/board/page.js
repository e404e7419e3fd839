"use strict";
(() => {
const GLYPH = 9, BAR = 5, HEIGHT = 34, MIN = 60, ROWS = 100;
const SVG = "http://www.w3.org/2000/svg";
const view = { from: 0, to: 0, follow: true, filter: "", rows: ROWS };
let d, lanes, events, end, fitted;

const el = (name, text, cls) => {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (cls) e.className = cls;
  return e;
};
const isolated = (text) => el("bdi", text);
const find = (id) => document.getElementById(id);
const css = (word) => word.replaceAll(" ", "-");
const stamp = (sec) => new Date((d.since + sec) * 1000).toISOString().slice(0, 19).replace("T", " ");
const time = (sec) => {
  const t = el("time", stamp(sec));
  t.dateTime = new Date((d.since + sec) * 1000).toISOString();
  return t;
};
const lasted = (s) => s >= 172800 ? `${Math.floor(s / 86400)}d ${Math.floor(s % 86400 / 3600)}h`
  : s >= 3600 ? `${Math.floor(s / 3600)}h ${Math.floor(s % 3600 / 60)}m`
  : s >= 60 ? `${Math.floor(s / 60)}m ${s % 60}s` : `${s}s`;
// from is the place of the first event at a time or later.
const from = (list, at) => {
  let low = 0, high = list.length;
  while (low < high) {
    const mid = low + high >> 1;
    if (list[mid].at < at) low = mid + 1; else high = mid;
  }
  return low;
};

// load reads the data of the page as it stands.
function load() {
  d = JSON.parse(find("data").textContent);
  end = Math.max(d.at - d.since, 1);
  const w = (i) => d.words[i];
  const of = new Map();
  events = d.events.map(([at, cls, op, word, lane, run, node, text]) => {
    const e = { at, cls, op: w(op), word: w(word), lane: w(lane), run: w(run), node: w(node), text: w(text) };
    e.find = `${d.classes[cls]} ${e.op} ${e.word} ${e.lane} ${e.run} ${e.node} ${e.text}`.toLowerCase();
    if (!of.has(e.lane)) of.set(e.lane, []);
    of.get(e.lane).push(e);
    return e;
  });
  events.sort((a, b) => a.at - b.at);
  const items = document.querySelectorAll(".lane");
  lanes = d.lanes.map(([name, spans], i) => {
    const l = { name: w(name), item: items[i], svg: items[i].querySelector(".strip"), events: of.get(w(name)) || [] };
    l.events.sort((a, b) => a.at - b.at);
    l.spans = spans.map(([a, b, state, owner, node, run, unit, gen, by]) =>
      ({ from: a, to: b < 0 ? end : b, lasts: b < 0, state: d.states[state], owner: w(owner), node: w(node), run: w(run), unit: w(unit), gen, by: w(by) }));
    const words = new Set([l.name, items[i].querySelector(".word").textContent]);
    for (const s of l.spans) { words.add(s.owner); words.add(s.node); words.add(s.run); words.add(s.unit); }
    l.find = [...words].join(" ").toLowerCase();
    items[i].querySelector("details").addEventListener("toggle", (e) => { if (e.target.open) spansOf(l); });
    l.svg.addEventListener("pointermove", (e) => tell(l, e));
    l.svg.addEventListener("pointerleave", () => { tip.hidden = true; });
    return l;
  });
  if (view.follow) { view.to = end; view.from = view.span ? Math.max(0, end - view.span) : 0; }
  const tools = find("tools");
  tools.hidden = false;
  tools.addEventListener("submit", (e) => e.preventDefault());
  tools.addEventListener("click", (e) => { if (e.target.dataset.do) zoom(e.target.dataset.do); });
  find("filter").value = view.filter;
  find("filter").addEventListener("input", (e) => { view.filter = e.target.value.trim().toLowerCase(); view.rows = ROWS; later(); });
  find("more").addEventListener("click", () => { view.rows += 4 * ROWS; list(); });
  draw();
}

// zoom moves what is shown of the time. Where its end is now, it stays there.
function zoom(what) {
  const was = view.to - view.from, last = { hour: 3600, six: 21600, day: 86400, all: end }[what];
  let length = was, to = view.to;
  if (last) { length = Math.min(last, end); to = end; }
  if (what === "in") length = Math.max(MIN, was / 2);
  if (what === "out") length = Math.min(end, was * 2);
  if (what === "in" || what === "out") to = view.to === end ? end : view.to - was / 2 + length / 2;
  if (what === "back") to -= was / 2;
  if (what === "on") to += was / 2;
  length = Math.min(length, end);
  view.to = Math.min(end, Math.max(length, to));
  view.from = view.to - length;
  view.follow = view.to === end;
  view.span = length >= end ? 0 : length;
  view.rows = ROWS;
  later();
}

let asked = 0;
function later() {
  if (!asked) asked = requestAnimationFrame(() => { asked = 0; draw(); });
}

function draw() {
  const has = (text) => !view.filter || text.includes(view.filter);
  let shown = 0, width = 0;
  for (const l of lanes) {
    l.item.hidden = !has(l.find);
    if (!l.item.hidden) { shown++; width ||= l.svg.clientWidth; }
  }
  find("none").hidden = shown > 0 || lanes.length === 0;
  fitted = width || 800;
  for (const l of lanes) if (!l.item.hidden) strip(l, fitted);
  for (const svg of document.querySelectorAll(".axis svg")) axis(svg);
  find("range").textContent = `${stamp(Math.round(view.from))} to ${stamp(Math.round(view.to))}`;
  for (const b of document.querySelectorAll("[data-do]")) {
    const length = { hour: 3600, six: 21600, day: 86400 }[b.dataset.do];
    if (length) b.setAttribute("aria-pressed", view.follow && view.span === length);
    if (b.dataset.do === "all") b.setAttribute("aria-pressed", view.follow && !view.span);
  }
  kinds();
  list();
}

const place = (at, width) => Math.min(1, Math.max(0, (at - view.from) / (view.to - view.from))) * width;

// strip draws a lane: blocks that differ by where they stand, names in those that have
// room, and above them a mark for each event, the one that matters most where they meet.
function strip(l, width) {
  const out = [], names = [];
  const path = (cls, text) => {
    if (!text) return;
    const p = document.createElementNS(SVG, "path");
    p.setAttribute("class", cls);
    p.setAttribute("d", text);
    out.push(p);
  };
  path("base", `M0 33.5h${width}`);
  for (const state of d.states) {
    let text = "", left = -1, right = -1;
    const flush = () => {
      if (left >= 0) for (const [a, b] of d.bands[state]) text += `M${left.toFixed(1)} ${a}H${right.toFixed(1)}V${b}H${left.toFixed(1)}z`;
    };
    for (const s of l.spans) {
      if (s.state !== state || s.to < view.from || s.from > view.to) continue;
      const a = place(s.from, width), b = Math.max(place(s.to, width), a + 1.5);
      if (b - a > 46 && state === "held" && s.owner) names.push([a, b, s.owner]);
      if (left >= 0 && a <= right + 0.5 && !(b - a > 46 && right - left > 46)) { right = Math.max(right, b); continue; }
      flush();
      left = left >= 0 && a < right + 1 ? a + 1 : a;
      right = b;
    }
    flush();
    path(state, text);
  }
  const at = new Map();
  for (let i = from(l.events, view.from); i < l.events.length && l.events[i].at <= view.to; i++) {
    const e = l.events[i], x = Math.floor(place(e.at, width) / GLYPH);
    if (!at.has(x) || e.cls < at.get(x)) at.set(x, e.cls);
  }
  const marks = d.classes.map(() => "");
  for (const [x, cls] of at) marks[cls] += `M${(x + 0.5) * GLYPH} 5${d.glyphs[d.classes[cls]]}`;
  marks.forEach((text, cls) => path(css(d.classes[cls]), text));
  for (const [a, b, name] of names) {
    const t = document.createElementNS(SVG, "text"), room = Math.floor((b - a - 8) / 6.4);
    t.setAttribute("x", (a + 4).toFixed(1));
    t.setAttribute("y", "27");
    t.textContent = [...name].length > room ? [...name].slice(0, room - 1).join("") + "…" : name;
    out.push(t);
  }
  l.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
  l.svg.replaceChildren(...out);
}

const STEPS = [60, 300, 900, 1800, 3600, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2419200, 7862400, 31449600];
function axis(svg) {
  const whole = view.to - view.from, step = STEPS.find((s) => whole / s <= 6) || STEPS.at(-1);
  const start = Math.floor((d.since + view.from) / step) * step + step, out = [];
  for (let t = start; t < d.since + view.to && out.length < 100; t += step) {
    const x = (t - d.since - view.from) / whole * 100, iso = new Date(t * 1000).toISOString();
    if (x < 4 || x > 96) continue;
    const text = document.createElementNS(SVG, "text");
    text.setAttribute("x", `${x.toFixed(2)}%`);
    text.setAttribute("y", "13");
    text.textContent = step >= 86400 || whole > 172800 ? `${Number(iso.slice(8, 10))} ${"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".slice(4 * (Number(iso.slice(5, 7)) - 1), 4 * Number(iso.slice(5, 7)) - 1)}` : iso.slice(11, 16);
    out.push(text);
  }
  svg.replaceChildren(...out);
}

function* chosen() {
  for (let i = from(events, view.from); i < events.length && events[i].at <= view.to; i++) {
    if (!view.filter || events[i].find.includes(view.filter)) yield events[i];
  }
}

function kinds() {
  const counts = d.classes.map(() => []), sums = d.classes.map(() => 0);
  for (const e of chosen()) {
    const x = Math.floor(place(e.at, 800) / BAR);
    counts[e.cls][x] = (counts[e.cls][x] || 0) + 1;
    sums[e.cls]++;
  }
  document.querySelectorAll("ul.kinds li").forEach((li, cls) => {
    const most = Math.max(4, counts[cls].reduce((a, b) => Math.max(a, b), 0));
    let text = "";
    counts[cls].forEach((n, x) => { if (n) text += `M${x * BAR} 24v-${(4 + 18 * Math.log1p(n) / Math.log1p(most)).toFixed(1)}h${BAR - 1}V24z`; });
    li.querySelector("b").textContent = sums[cls];
    li.querySelector(".bars").setAttribute("aria-label", `${d.classes[cls]}: ${sums[cls]} events`);
    li.querySelector(".bars path:last-child").setAttribute("d", text);
  });
}

function list() {
  const all = [...chosen()].reverse(), rows = [];
  for (const e of all.slice(0, view.rows)) {
    const tr = el("tr"), cells = [time(e.at), el("b", d.classes[e.cls]), isolated(e.lane), isolated(e.run), isolated(e.text)];
    cells.forEach((c, i) => {
      const td = el("td");
      if (i === 1) td.className = "k-" + css(d.classes[e.cls]);
      td.append(c);
      if (i === 1) td.append(` ${e.op} ${e.word}`);
      if (i < 2 || c.textContent) tr.append(td); else tr.append(el("td"));
    });
    rows.push(tr);
  }
  if (!rows.length) {
    const td = el("td", "Nothing was recorded here.");
    td.colSpan = 5;
    const tr = el("tr");
    tr.append(td);
    rows.push(tr);
  }
  find("events").tBodies[0].replaceChildren(...rows);
  find("events").caption.textContent = `the newest first, ${Math.min(view.rows, all.length)} of ${all.length}`;
  find("more").hidden = all.length <= view.rows;
}

// spansOf lists everything that is known of who had a lane.
function spansOf(l) {
  const body = l.item.querySelector("tbody");
  if (!body) return;
  body.replaceChildren(...l.spans.slice(-500).reverse().map((s) => {
    const tr = el("tr"), who = el("td");
    who.append(isolated(s.owner));
    if (s.node) who.append(" on ", isolated(s.node));
    const cells = [el("td"), el("td", lasted(s.to - s.from)), el("td", s.gen ? `${s.state} g${s.gen}` : s.state), who, el("td"), el("td"), el("td", s.lasts ? "lasts" : s.by)];
    cells[0].append(time(s.from));
    cells[4].append(isolated(s.run));
    cells[5].append(isolated(s.unit));
    tr.append(...cells);
    return tr;
  }));
  const older = l.item.querySelector(".older");
  if (older) {
    older.hidden = l.spans.length <= 500;
    older.textContent = `${l.spans.length - 500} older: git dos board --json has them all.`;
  }
}

// tell says what is under the pointer.
const tip = el("div", "", "tip");
tip.hidden = true;
function tell(l, e) {
  const box = l.svg.getBoundingClientRect(), x = e.clientX - box.left;
  const at = view.from + x / box.width * (view.to - view.from), near = GLYPH / box.width * (view.to - view.from) / 2;
  const lines = [];
  for (const s of l.spans) if (s.from <= at && at <= s.to && lines.length < 4) {
    lines.push(`${s.state} ${[s.owner && s.owner + (s.node ? " on " + s.node : ""), s.run, s.unit].filter(Boolean).join(" · ")} · ${stamp(s.from).slice(5, 16)} for ${lasted(s.to - s.from)}`);
  }
  for (let i = from(l.events, at - near); i < l.events.length && l.events[i].at <= at + near && lines.length < 9; i++) {
    lines.push(`${stamp(l.events[i].at).slice(11)} ${d.classes[l.events[i].cls]} ${l.events[i].op} ${l.events[i].word} ${l.events[i].text}`);
  }
  tip.hidden = !lines.length;
  tip.replaceChildren(...lines.map((t) => { const p = el("p"); p.append(isolated(t)); return p; }));
  tip.style.left = `${Math.max(4, Math.min(e.clientX + 12, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${e.clientY + 18 + tip.offsetHeight > innerHeight ? e.clientY - tip.offsetHeight - 10 : e.clientY + 18}px`;
}

// A page that is live asks its server whether there is something new, and puts it in
// the place of what is there. What cannot be had anew is said, and stays.
let tag = "";
async function refresh() {
  let wait = 3000;
  const fault = (text) => { find("fault").textContent = text; find("fault").hidden = !text; };
  try {
    const got = await fetch(location.href, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store", signal: AbortSignal.timeout(30000) });
    if (got.status === 200) {
      const page = new DOMParser().parseFromString(await got.text(), "text/html").getElementById("board");
      if (tag && page) swap(page);
      tag = got.headers.get("ETag") || "";
      fault("");
    } else if (got.status === 304) fault("");
    else { fault(`Not up to date: ${(await got.text()).slice(0, 500)}`); wait = 10000; }
  } catch (e) {
    fault("Not up to date: its server does not answer.");
    wait = 10000;
  }
  setTimeout(refresh, wait);
}

function swap(page) {
  const open = new Set(lanes.filter((l) => l.item.querySelector("details").open).map((l) => l.name));
  const table = document.querySelector(".rates + details").open, at = scrollY, typing = document.activeElement === find("filter");
  document.querySelector("main").replaceWith(document.adoptNode(page));
  load();
  for (const l of lanes) if (open.has(l.name)) l.item.querySelector("details").open = true;
  document.querySelector(".rates + details").open = table;
  if (typing) find("filter").focus();
  scrollTo(0, at);
  document.title = document.title.replace(/board, .*/, `board, ${stamp(end)} UTC`);
}

document.body.append(tip);
addEventListener("resize", () => { if (lanes.some((l) => l.svg.clientWidth && l.svg.clientWidth !== fitted)) later(); });
load();
if (find("board").dataset.live) refresh();
})();
