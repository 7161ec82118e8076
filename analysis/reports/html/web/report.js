// The tables of a report: they sort, and whole kernel names are at hand. Every figure is in the
// page without this file. Foreign text only ever becomes textContent.
'use strict';
(() => {
  // The number that a cell begins with; nothing for "–" and for words.
  function numberOf(text) {
    const value = parseFloat(text.replace(/[\s\u00a0\u2009\u202f]/g, '').replace('\u2212', '-'));
    return Number.isNaN(value) ? null : value;
  }

  function compareCells(a, b, isNumber, sign) {
    if (!isNumber) return sign * a.localeCompare(b, 'en', { numeric: true });
    const x = numberOf(a), y = numberOf(b);
    if (x === null || y === null) return (x === null) - (y === null);  // absent: last both ways
    return sign * (x - y);
  }

  // A click: falling for numbers, rising for words; the next one turns it round, the third gives
  // the order of the report back. Totals and folded rows stay last.
  function makeSortable(table) {
    const head = table.tHead && table.tHead.rows[0];
    const body = table.tBodies[0];
    if (!head || !body) return;
    const rows = [...body.rows];
    const free = rows.filter((row) => !/\b(total|rest)\b/.test(row.className));
    const last = rows.filter((row) => !free.includes(row));
    if (free.length < 2) return;
    [...head.cells].forEach((cell, at) => {
      if (!cell.textContent.trim()) return;
      const isNumber = cell.classList.contains('number');
      const first = isNumber ? 'descending' : 'ascending';
      const second = isNumber ? 'ascending' : 'descending';
      const press = document.createElement('button');
      press.type = 'button';
      press.textContent = cell.textContent;
      press.addEventListener('click', () => {
        const next = { [first]: second, [second]: 'none' }[cell.getAttribute('aria-sort')] ?? first;
        for (const other of head.cells) other.removeAttribute('aria-sort');
        if (next !== 'none') cell.setAttribute('aria-sort', next);
        const text = (row) => row.cells[at] ? row.cells[at].textContent : '';
        const sign = next === 'ascending' ? 1 : -1;
        const sorted = next === 'none' ? free
          : [...free].sort((a, b) => compareCells(text(a), text(b), isNumber, sign));
        body.append(...sorted, ...last);
      });
      cell.replaceChildren(press);
    });
  }

  // Cells that show a kernel's short name get its whole one as a title.
  function addWholeNames(report) {
    const whole = new Map();
    for (const name of report.querySelectorAll('details.name')) {
      whole.set(name.firstElementChild.textContent, name.lastElementChild.textContent);
    }
    for (const code of report.querySelectorAll('td > code')) {
      const found = whole.get(code.textContent);
      if (found) code.title = found;
    }
  }

  document.querySelectorAll('table').forEach(makeSortable);
  document.querySelectorAll('.report').forEach(addWholeNames);
  // On paper everything is unfolded, but for the names.
  let folded = [];
  addEventListener('beforeprint', () => {
    folded = [...document.querySelectorAll('details:not([open], .name)')];
    folded.forEach((details) => { details.open = true; });
  });
  addEventListener('afterprint', () => folded.forEach((details) => { details.open = false; }));
})();
