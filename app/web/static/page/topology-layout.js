// Computes positions of buses without coordinates, deterministically.

import { relax } from "./relaxation.js";

const PIVOTS = 32;
const POWER_STEPS = 60;
const GAP = 2;

/** Return {x, y} for `count` buses joined by the branches `from[i]`-`to[i]` (positions). */
export function layOut(count, from, to) {
  const neighbours = listNeighbours(count, from, to);
  const islands = findIslands(count, neighbours);
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  packShelves(islands.map((members) => placeIsland(members, neighbours)), x, y);
  return { x: Array.from(x), y: Array.from(y) };
}

function listNeighbours(count, from, to) {
  const neighbours = Array.from({ length: count }, () => []);
  for (let branch = 0; branch < from.length; branch += 1) {
    if (from[branch] === to[branch]) continue;
    neighbours[from[branch]].push(to[branch]);
    neighbours[to[branch]].push(from[branch]);
  }
  return neighbours;
}

function findIslands(count, neighbours) {
  const seen = new Uint8Array(count);
  const islands = [];
  for (let start = 0; start < count; start += 1) {
    if (seen[start]) continue;
    seen[start] = 1;
    const members = [start];
    for (const bus of members) {
      for (const next of neighbours[bus]) {
        if (seen[next]) continue;
        seen[next] = 1;
        members.push(next);
      }
    }
    islands.push(members);
  }
  return islands.sort((left, right) => right.length - left.length);
}

function placeIsland(members, neighbours) {
  const position = new Map(members.map((bus, index) => [bus, index]));
  const local = members.map((bus) => neighbours[bus].map((next) => position.get(next)));
  const [x, y] = embed(local);
  scaleToUnitBranches(x, y, local);
  relax(x, y, local);
  return { members, x, y };
}

/** Pivot multidimensional scaling (Brandes and Pich 2006) of hop distances to a few buses. */
function embed(local) {
  const columns = centre(measurePivots(local));
  const first = mainAxis(columns, null);
  const second = mainAxis(columns, first);
  return [project(columns, first), project(columns, second)];
}

function measurePivots(local) {
  const nearest = new Float64Array(local.length).fill(Infinity);
  const columns = [];
  let pivot = local.reduce((best, next, bus) => (next.length > local[best].length ? bus : best), 0);
  while (columns.length < Math.min(PIVOTS, local.length)) {
    const hops = countHops(local, pivot);
    columns.push(hops);
    for (let bus = 0; bus < hops.length; bus += 1) nearest[bus] = Math.min(nearest[bus], hops[bus]);
    pivot = nearest.reduce((best, distance, bus) => (distance > nearest[best] ? bus : best), 0);
  }
  return columns;
}

function countHops(local, start) {
  const hops = new Float64Array(local.length).fill(-1);
  hops[start] = 0;
  const queue = [start];
  for (const bus of queue) {
    for (const next of local[bus]) {
      if (hops[next] >= 0) continue;
      hops[next] = hops[bus] + 1;
      queue.push(next);
    }
  }
  return hops;
}

function centre(columns) {
  const count = columns[0].length;
  const squared = columns.map((column) => column.map((hops) => hops * hops));
  const rowMeans = new Float64Array(count);
  for (const column of squared) column.forEach((value, bus) => { rowMeans[bus] += value / columns.length; });
  const mean = rowMeans.reduce((sum, value) => sum + value, 0) / count;
  return squared.map((column) => {
    const columnMean = column.reduce((sum, value) => sum + value, 0) / count;
    return column.map((value, bus) => -0.5 * (value - rowMeans[bus] - columnMean + mean));
  });
}

/** Leading eigenvector of the pivots' Gram matrix, orthogonal to `other`, by power iteration. */
function mainAxis(columns, other) {
  const gram = columns.map((left) => columns.map((right) => dot(left, right)));
  let axis = columns.map((_, index) => Math.cos(index + 1));
  for (let step = 0; step < POWER_STEPS; step += 1) {
    axis = gram.map((row) => dot(row, axis));
    if (other) {
      const share = dot(axis, other);
      axis = axis.map((value, index) => value - share * other[index]);
    }
    const length = Math.sqrt(dot(axis, axis)) || 1;
    axis = axis.map((value) => value / length);
  }
  return axis;
}

function project(columns, axis) {
  const result = new Float64Array(columns[0].length);
  columns.forEach((column, index) => {
    for (let bus = 0; bus < result.length; bus += 1) result[bus] += axis[index] * column[bus];
  });
  return result;
}

function dot(left, right) {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += left[index] * right[index];
  return sum;
}

function scaleToUnitBranches(x, y, local) {
  let total = 0;
  let branches = 0;
  local.forEach((next, bus) => next.forEach((other) => {
    total += Math.hypot(x[bus] - x[other], y[bus] - y[other]);
    branches += 1;
  }));
  const scale = total > 0 ? branches / total : 1;
  for (let bus = 0; bus < x.length; bus += 1) {
    x[bus] *= scale;
    y[bus] *= scale;
  }
}

/** Place the islands in rows, largest first, so that they do not overlap. */
function packShelves(islands, x, y) {
  const boxes = islands.map((island) => ({ ...island, ...bounds(island) }));
  const area = boxes.reduce((sum, box) => sum + box.width * box.height, 0);
  const shelfWidth = boxes.reduce((widest, box) => Math.max(widest, box.width), 1.5 * Math.sqrt(area));
  let left = 0;
  let top = 0;
  let shelfHeight = 0;
  for (const box of boxes) {
    if (left > 0 && left + box.width > shelfWidth) {
      top -= shelfHeight;
      left = 0;
      shelfHeight = 0;
    }
    box.members.forEach((bus, index) => {
      x[bus] = left + box.x[index] - box.minX;
      y[bus] = top + box.y[index] - box.maxY;
    });
    left += box.width;
    shelfHeight = Math.max(shelfHeight, box.height);
  }
}

function bounds({ x, y }) {
  const [minX, maxX] = range(x);
  const [minY, maxY] = range(y);
  return { minX, maxY, width: maxX - minX + GAP, height: maxY - minY + GAP };
}

const range = (values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
