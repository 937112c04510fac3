// Force-directed relaxation: springs along branches, repulsion between close buses.

const ROUNDS = 120;
const LARGEST = 20_000;
const REACH = 2;
const ROW_LENGTH = 2 ** 20;
const NEAR_CELLS = [-1, 0, 1].flatMap((column) => [-1, 0, 1].map((row) => column * ROW_LENGTH + row));
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

/** Separate buses with equal hop distances (leaves of one bus), deterministically. */
function scatter(x, y) {
  for (let bus = 0; bus < x.length; bus += 1) {
    x[bus] += 0.3 * Math.cos(bus * GOLDEN_ANGLE);
    y[bus] += 0.3 * Math.sin(bus * GOLDEN_ANGLE);
  }
}

function forces(x, y, local) {
  const moveX = new Float64Array(x.length);
  const moveY = new Float64Array(x.length);
  pushApart(x, y, moveX, moveY);
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

/** Sort buses into cells as wide as the repulsion reaches, so that only close pairs are compared. */
function sortIntoCells(x, y) {
  const cells = new Map();
  for (let bus = 0; bus < x.length; bus += 1) {
    const cell = cellAt(Math.floor(x[bus] / REACH), Math.floor(y[bus] / REACH));
    if (!cells.has(cell)) cells.set(cell, []);
    cells.get(cell).push(bus);
  }
  return cells;
}

const cellAt = (column, row) => column * ROW_LENGTH + row;

function pushApart(x, y, moveX, moveY) {
  const cells = sortIntoCells(x, y);
  for (const [cell, members] of cells) {
    for (const step of NEAR_CELLS) {
      const others = cells.get(cell + step);
      if (others) pushCells(members, others, { x, y, moveX, moveY });
    }
  }
}

function pushCells(members, others, { x, y, moveX, moveY }) {
  for (const bus of members) {
    for (const other of others) {
      const acrossX = x[bus] - x[other];
      const acrossY = y[bus] - y[other];
      const square = acrossX * acrossX + acrossY * acrossY;
      if (other === bus || square >= REACH * REACH) continue;
      const distance = Math.sqrt(square) || 1e-6;
      const strength = (0.3 * (1 / distance - 1 / REACH)) / distance;
      moveX[bus] += strength * acrossX;
      moveY[bus] += strength * acrossY;
    }
  }
}
