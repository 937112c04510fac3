// Springs along branches and a short push between buses: separates what a projection piles up.

const ROUNDS = 120;
const LARGEST = 20_000;
const REACH = 2;
const GOLDEN_ANGLE = 2.399963229728653;

/** Move the buses in place; `local[bus]` lists the positions of a bus's neighbours. */
export function relax(x, y, local) {
  scatter(x, y);
  const rounds = local.length > LARGEST ? 0 : Math.min(ROUNDS, Math.ceil(400_000 / local.length));
  for (let round = 0; round < rounds; round += 1) {
    const [moveX, moveY] = forces(x, y, local);
    const longest = 0.5 * (1 - round / rounds);
    for (let bus = 0; bus < x.length; bus += 1) {
      const length = Math.hypot(moveX[bus], moveY[bus]);
      const scale = length > longest ? longest / length : 1;
      x[bus] += moveX[bus] * scale;
      y[bus] += moveY[bus] * scale;
    }
  }
}

/** Two leaves of one bus have the same hops to everything: part them, the same way every time. */
function scatter(x, y) {
  for (let bus = 0; bus < x.length; bus += 1) {
    x[bus] += 0.3 * Math.cos(bus * GOLDEN_ANGLE);
    y[bus] += 0.3 * Math.sin(bus * GOLDEN_ANGLE);
  }
}

function forces(x, y, local) {
  const moveX = new Float64Array(x.length);
  const moveY = new Float64Array(x.length);
  for (const cell of neighbourCells(x, y)) push(cell, x, y, moveX, moveY);
  local.forEach((next, bus) => {
    for (const other of next) {
      const distance = Math.hypot(x[other] - x[bus], y[other] - y[bus]) || 1e-6;
      const pull = (0.25 * (distance - 1)) / distance;
      moveX[bus] += pull * (x[other] - x[bus]);
      moveY[bus] += pull * (y[other] - y[bus]);
    }
  });
  return [moveX, moveY];
}

/** Buses sorted into squares as wide as the push reaches: only near pairs are looked at. */
function* neighbourCells(x, y) {
  const cells = new Map();
  const cellOf = (column, row) => `${column},${row}`;
  for (let bus = 0; bus < x.length; bus += 1) {
    const key = cellOf(Math.floor(x[bus] / REACH), Math.floor(y[bus] / REACH));
    if (!cells.has(key)) cells.set(key, []);
    cells.get(key).push(bus);
  }
  for (const [key, members] of cells) {
    const [column, row] = key.split(",").map(Number);
    const near = [];
    for (let right = -1; right <= 1; right += 1) {
      for (let up = -1; up <= 1; up += 1) near.push(...(cells.get(cellOf(column + right, row + up)) ?? []));
    }
    yield { members, near };
  }
}

function push({ members, near }, x, y, moveX, moveY) {
  for (const bus of members) {
    for (const other of near) {
      if (other === bus) continue;
      const acrossX = x[bus] - x[other];
      const acrossY = y[bus] - y[other];
      const distance = Math.hypot(acrossX, acrossY) || 1e-6;
      if (distance >= REACH) continue;
      const strength = (0.3 * (1 / distance - 1 / REACH)) / distance;
      moveX[bus] += strength * acrossX;
      moveY[bus] += strength * acrossY;
    }
  }
}
