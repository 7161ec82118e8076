// The timeline of a step: a lane for each stream, drawn on a canvas, and the strips of phases and
// layers above it that lead to a part of it. Times are nanoseconds from the start of the window;
// foreign text only ever becomes textContent.
'use strict';
(() => {
  const kSpanMinNs = 50;
  const kZoomStep = 1.5;
  const kAxisPx = 20, kLayersPx = 18, kLabelPx = 16, kGapPx = 6;

  function element(tag, className = '', text = '') {
    const made = document.createElement(tag);
    made.className = className;
    made.textContent = text;
    return made;
  }

  function button(label, text, act) {
    const made = Object.assign(element('button', '', text), { type: 'button', title: label });
    made.setAttribute('aria-label', label);
    made.addEventListener('click', act);
    return made;
  }

  // "12.345 µs", "13.665 ms"
  function duration(ns) {
    if (ns < 1e6) return `${(ns / 1e3).toFixed(3)} µs`;
    return `${(ns / 1e6).toFixed(3)} ms`;
  }
  const inMs = (ns) => `${(ns / 1e6).toFixed(6)} ms`;

  // Rows of [start, dur, stream, kernel, layer] by start, as lanes of one stream each; and where
  // nothing runs on any of them.
  function decode({ streams, events, wall }) {
    const lanes = streams.map((label) => ({ label, events: [], maxEnd: [] }));
    const gaps = [];
    let end = 0;
    for (let i = 0; i < events.length; i += 5) {
      const [start, dur, stream, kernel, layer] = events.slice(i, i + 5);
      const lane = lanes[stream];
      const before = lane.maxEnd.length ? lane.maxEnd[lane.maxEnd.length - 1] : -1;
      const under = start + dur < before;
      lane.events.push({ start, end: start + dur, kernel, layer, under, lane });
      lane.maxEnd.push(Math.max(before, start + dur));
      if (start > end) gaps.push([end, start]);
      end = Math.max(end, start + dur);
    }
    if (end < wall) gaps.push([end, wall]);
    return { lanes: lanes.filter((lane) => lane.events.length > 0), gaps };
  }

  // The first index whose value is larger than `value`; `values` rise.
  function firstAbove(values, value) {
    let low = 0, high = values.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[middle] > value) high = middle; else low = middle + 1;
    }
    return low;
  }

  // 1, 2 or 5 times a power of ten, at least `ns`.
  function roundStep(ns) {
    const power = 10 ** Math.floor(Math.log10(ns));
    return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= ns * 0.999);
  }

  class Timeline {
    constructor(figure, report) {
      this.data = JSON.parse(figure.querySelector('script').textContent);
      Object.assign(this, decode(this.data));
      this.wall = this.data.wall;
      this.report = report;
      this.chosen = null;
      this.build(figure);
      this.listen();
      this.show(0, this.wall);
    }

    build(figure) {
      figure.querySelector('.no-script').remove();
      this.lanePx = this.lanes.length > 8 ? 14 : 26;
      this.heightPx = kAxisPx + kLayersPx + this.lanes.length * (kLabelPx + this.lanePx + kGapPx);
      const tools = element('div', 'tools');
      tools.append(
        button('zoom in', '+', () => this.zoom(1 / kZoomStep)),
        button('zoom out', '−', () => this.zoom(kZoomStep)),
        button('earlier', '◀', () => this.pan(-0.25)),
        button('later', '▶', () => this.pan(0.25)),
        button('whole step', 'whole step', () => this.show(0, this.wall)));
      this.range = element('output');
      tools.append(this.range);
      const stage = element('div', 'stage');
      this.canvas = element('canvas');
      this.canvas.tabIndex = 0;
      this.canvas.style.height = `${this.heightPx}px`;
      this.canvas.setAttribute('role', 'application');
      this.canvas.setAttribute('aria-label',
        'timeline: plus and minus zoom, left and right move, home shows the whole step, comma ' +
        'and full stop choose the event before and after, up and down another stream');
      this.tip = element('div', 'tip');
      this.tip.hidden = true;
      stage.append(this.canvas, this.tip);
      this.words = element('div', 'chosen');
      this.words.setAttribute('aria-live', 'polite');
      figure.append(tools, stage, this.words, element('p', 'hint',
        'Drag to move; Ctrl and wheel, or the wheel after a click, zooms; a click chooses a ' +
        'kernel. Keys: + − ← → Home, and , . ↑ ↓ from kernel to kernel.'));
    }

    listen() {
      const { canvas } = this;
      new ResizeObserver(() => this.draw()).observe(canvas);
      for (const media of ['(prefers-color-scheme: dark)', 'print']) {
        matchMedia(media).addEventListener('change', () => this.paint());  // paper has no frames
      }
      canvas.addEventListener('wheel', (event) => this.onWheel(event), { passive: false });
      canvas.addEventListener('keydown', (event) => this.onKey(event));
      canvas.addEventListener('dblclick', (event) => this.zoom(1 / 4, this.timeAt(event.offsetX)));
      canvas.addEventListener('pointerdown', (event) => {
        canvas.setPointerCapture(event.pointerId);
        this.drag = { x: event.offsetX, from: this.from, moved: false };
      });
      canvas.addEventListener('pointermove', (event) => this.onMove(event));
      canvas.addEventListener('pointerup', (event) => {
        if (this.drag && !this.drag.moved) this.choose(this.eventAt(event.offsetX, event.offsetY));
        this.drag = null;
      });
      canvas.addEventListener('pointercancel', () => { this.drag = null; });
      canvas.addEventListener('pointerleave', () => { this.tip.hidden = true; });
    }

    get width() { return this.canvas.clientWidth || 1; }
    xOf(ns) { return (ns - this.from) / (this.to - this.from) * this.width; }
    timeAt(x) { return this.from + x / this.width * (this.to - this.from); }

    // True when the view is another one now.
    show(from, to) {
      const span = Math.min(Math.max(to - from, kSpanMinNs), this.wall);
      const start = Math.min(Math.max(from, 0), this.wall - span);
      const changed = start !== this.from || start + span !== this.to;
      this.from = start;
      this.to = start + span;
      this.range.textContent = `shows ${duration(span)} from ${inMs(start)}`;
      this.draw();
      return changed;
    }
    zoom(factor, around = (this.from + this.to) / 2) {
      const from = around - (around - this.from) * factor;
      return this.show(from, from + (this.to - this.from) * factor);
    }
    pan(part) {
      const by = part * (this.to - this.from);
      return this.show(this.from + by, this.to + by);
    }

    // The page scrolls on where the wheel has nothing to do.
    onWheel(event) {
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      const active = event.ctrlKey || event.metaKey || document.activeElement === this.canvas;
      if (!sideways && !active) return;
      const changed = sideways ? this.pan(event.deltaX / this.width)
        : this.zoom(2 ** (Math.sign(event.deltaY) * 0.4), this.timeAt(event.offsetX));
      if (changed || event.ctrlKey) event.preventDefault();
    }

    onKey(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const acts = {
        '+': () => this.zoom(1 / kZoomStep), '=': () => this.zoom(1 / kZoomStep),
        '-': () => this.zoom(kZoomStep), 'ArrowLeft': () => this.pan(-0.2),
        'ArrowRight': () => this.pan(0.2), 'Home': () => this.show(0, this.wall),
        '.': () => this.step(1), ',': () => this.step(-1),
        'ArrowDown': () => this.step(0, 1), 'ArrowUp': () => this.step(0, -1),
      };
      if (!acts[event.key]) return;
      acts[event.key]();
      event.preventDefault();
    }

    onMove(event) {
      if (this.drag) {
        const by = (event.offsetX - this.drag.x) / this.width * (this.to - this.from);
        this.drag.moved ||= Math.abs(event.offsetX - this.drag.x) > 3;
        const from = this.drag.from - by;
        if (this.drag.moved) this.show(from, from + this.to - this.from);
      }
      const found = this.drag?.moved ? null : this.eventAt(event.offsetX, event.offsetY);
      this.tip.hidden = !found;
      if (!found) return;
      this.tip.replaceChildren(...this.describe(found));
      const left = Math.min(event.offsetX + 12, this.width - this.tip.offsetWidth);
      this.tip.style.left = `${Math.max(left, 0)}px`;
      this.tip.style.top = `${event.offsetY + 16}px`;
    }

    laneTop(at) { return kAxisPx + kLayersPx + at * (kLabelPx + this.lanePx + kGapPx) + kLabelPx; }

    // What lies under the pointer, or at most 3 pixels beside it: the one that started last.
    eventAt(x, y) {
      const at = this.lanes.findIndex((_, i) =>
        y >= this.laneTop(i) - 2 && y <= this.laneTop(i) + this.lanePx + 2);
      if (at < 0) return null;
      const { events, maxEnd } = this.lanes[at];
      const time = this.timeAt(x), reach = this.timeAt(x + 3) - time;
      let best = null, bestDistance = reach;
      for (let i = firstAbove(maxEnd, time - reach); i < events.length; ++i) {
        if (events[i].start > time + reach) break;
        const distance = Math.max(events[i].start - time, time - events[i].end, 0);
        if (distance <= bestDistance) [best, bestDistance] = [events[i], distance];
      }
      return best;
    }

    // Whole name, then what is known of the kernel and of this call.
    describe(event) {
      const [short, category, , role] = this.data.kernels[event.kernel];
      const row = this.report.querySelector(`details.name[data-kernel="${event.kernel}"]`);
      const facts = [category, role, event.layer < 0 ? '' : `layer ${event.layer + 1}`];
      const when = `${duration(event.end - event.start)} from ${inMs(event.start)}, `;
      return [element('code', '', row ? row.lastElementChild.textContent : short),
        element('div', '', facts.filter(Boolean).join(' · ')),
        element('div', '', when + event.lane.label)];
    }

    choose(event) {
      this.chosen = event;
      this.words.replaceChildren(...(event ? this.describe(event) : []));
      if (event && (event.end < this.from || event.start > this.to)) {
        const half = (this.to - this.from) / 2;
        this.show(event.start - half, event.start + half);
      }
      this.draw();
    }
    // The neighbour of the chosen event, on its stream or at its time on another one.
    step(by, lanesDown = 0) {
      const now = this.lanes.indexOf(this.chosen?.lane);
      const { events, maxEnd } = this.lanes.at(Math.min(Math.max(now + lanesDown, 0),
        this.lanes.length - 1));
      const at = this.chosen && !lanesDown ? events.indexOf(this.chosen) + by
        : firstAbove(maxEnd, this.chosen?.start ?? this.from);
      this.choose(events[Math.min(Math.max(at, 0), events.length - 1)]);
    }

    // At most once a frame.
    draw() {
      this.frame ??= requestAnimationFrame(() => {
        this.frame = null;
        this.paint();
      });
    }

    paint() {
      const scale = window.devicePixelRatio || 1;
      this.canvas.width = Math.round(this.width * scale);
      this.canvas.height = Math.round(this.heightPx * scale);
      const ctx = this.canvas.getContext('2d');
      ctx.scale(scale, scale);
      ctx.font = '11px system-ui, sans-serif';
      ctx.textBaseline = 'middle';
      const style = getComputedStyle(this.canvas);
      this.ink = style.color;
      this.colour = (name) => style.getPropertyValue(`--${name}`).trim() || this.ink;
      this.palette = this.data.kernels.map(([, , colour]) => this.colour(colour));
      this.drawGaps(ctx);
      this.drawAxis(ctx);
      this.drawLayers(ctx);
      this.lanes.forEach((lane, at) => this.drawLane(ctx, lane, this.laneTop(at)));
    }

    drawGaps(ctx) {
      ctx.fillStyle = this.colour('gap');
      for (const [start, end] of this.gaps) {
        if (end < this.from || start > this.to) continue;
        const x = this.xOf(start), width = this.xOf(end) - x;
        if (width >= 0.5) ctx.fillRect(x, kAxisPx, width, this.heightPx - kAxisPx);
      }
    }

    drawAxis(ctx) {
      const step = roundStep((this.to - this.from) / Math.max(2, this.width / 110));
      const [unit, name] = step >= 1e5 ? [1e6, 'ms'] : [1e3, 'µs'];
      const digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
      ctx.fillStyle = this.ink;
      for (let time = Math.ceil(this.from / step) * step; time <= this.to; time += step) {
        const x = this.xOf(time);
        ctx.globalAlpha = 0.2;
        ctx.fillRect(x, kAxisPx - 4, 1, this.heightPx);
        ctx.globalAlpha = 1;
        const label = `${(time / unit).toFixed(digits)} ${name}`;
        if (x + 55 < this.width) ctx.fillText(label, x + 3, kAxisPx / 2);
      }
    }

    drawLayers(ctx) {
      const bounds = this.data.layers;  // starts, and the end of the last one
      for (let i = 0; i + 1 < bounds.length; ++i) {
        if (bounds[i + 1] < this.from || bounds[i] > this.to) continue;
        const x = Math.max(this.xOf(bounds[i]), 0);
        const width = Math.min(this.xOf(bounds[i + 1]), this.width) - x;
        ctx.fillStyle = this.colour(i % 2 ? 'band' : 'gap');
        ctx.fillRect(x, kAxisPx, width, kLayersPx - 4);
        ctx.fillStyle = this.ink;
        const label = width > 60 ? `layer ${i + 1}` : `${i + 1}`;
        if (width > 22) ctx.fillText(label, x + 3, kAxisPx + kLayersPx / 2 - 2);
      }
    }

    // What is narrower than a pixel and lies where a pixel is painted already is left out. A kernel
    // that lies inside another one of its stream is drawn lower.
    drawLane(ctx, lane, top) {
      ctx.fillStyle = this.ink;
      ctx.fillText(lane.label, 2, top - kLabelPx / 2);
      let painted = -1;
      for (let i = firstAbove(lane.maxEnd, this.from); i < lane.events.length; ++i) {
        const event = lane.events[i];
        if (event.start > this.to) break;
        const x = Math.max(this.xOf(event.start), -1);
        const end = Math.min(this.xOf(event.end), this.width + 1);
        if (end <= painted && end - x < 1) continue;
        painted = Math.max(painted, Math.floor(x) + 1);
        const width = Math.max(end - x - (end - x > 3 ? 1 : 0), 0.75);
        const y = event.under ? top + this.lanePx * 0.45 : top;
        const height = top + this.lanePx - y;
        ctx.fillStyle = this.palette[event.kernel];
        ctx.fillRect(x, y, width, height);
        if (width > 44) this.drawName(ctx, this.data.kernels[event.kernel][0], x, y, width, height);
        if (event === this.chosen) {
          ctx.strokeStyle = this.ink;
          ctx.lineWidth = 2;
          ctx.strokeRect(x, y - 1, Math.max(width, 2), height + 2);
        }
      }
    }

    drawName(ctx, name, x, y, width, height) {
      ctx.save();
      ctx.beginPath();
      ctx.rect(x, y, width - 3, height);
      ctx.clip();
      ctx.fillStyle = this.colour('on-part');
      ctx.fillText(name, Math.max(x, 0) + 4, y + height / 2);
      ctx.restore();
    }
  }

  // Cells that know their place zoom the timeline there. One of a strip is reached by the tab key,
  // the arrow keys lead on.
  function makeStripZoom(strip, timeline) {
    const cells = [...strip.querySelectorAll('.cell[data-start]')];
    const zoomTo = (cell) => {
      const start = Number(cell.dataset.start), dur = Number(cell.dataset.dur);
      timeline.report.querySelectorAll('.cell.on').forEach((one) => one.classList.remove('on'));
      cell.classList.add('on');
      timeline.show(start - dur * 0.02, start + dur * 1.02);
    };
    cells.forEach((cell, at) => {
      cell.setAttribute('role', 'button');
      cell.setAttribute('tabindex', at === 0 ? '0' : '-1');
      cell.setAttribute('aria-label', cell.querySelector('title').textContent);
      cell.addEventListener('click', () => zoomTo(cell));
      cell.addEventListener('focus', () => zoomTo(cell));
      cell.addEventListener('keydown', (event) => {
        const next = cells[at + ({ ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0)];
        if (!next || next === cell) return;
        cell.setAttribute('tabindex', '-1');
        next.setAttribute('tabindex', '0');
        next.focus();
        event.preventDefault();
      });
    });
  }

  for (const report of document.querySelectorAll('.report')) {
    const figure = report.querySelector('.timeline');
    if (!figure) continue;
    const timeline = new Timeline(figure, report);
    report.querySelectorAll('.strip').forEach((strip) => makeStripZoom(strip, timeline));
    // "#ns=1000-2000" in the address opens a part of the step.
    const asked = /^#ns=(\d+)-(\d+)$/.exec(location.hash);
    if (asked) timeline.show(Number(asked[1]), Number(asked[2]));
  }
})();
