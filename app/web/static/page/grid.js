// A grid as columns, with a position for every bus.

import { layOut } from "./topology-layout.js";

const PLACEMENTS = {
  geographic: "Buses are drawn at their geographic coordinates.",
  approximate: "Places are approximate: buses are drawn at the town they are named after, or between their neighbours.",
  schematic: "Buses are drawn as in the diagram of the case; the positions are not geographic.",
  computed: "Not all buses have coordinates; their positions are computed from the branches.",
};

/** Make a grid from the response of GET /graphs/{id}/topology. */
export function makeGrid(topology) {
  const { buses, branches } = topology;
  const places = placesOf(topology);
  const grid = {
    id: topology.graph_id,
    ids: buses.id,
    names: buses.name,
    from: branches.from,
    to: branches.to,
    kinds: branches.kind,
    kindNames: topology.kind_names,
    ...places,
    placement: PLACEMENTS[places.system],
    title: (bus) => titleOf(buses.id[bus], buses.name[bus]),
    neighbourCount: (bus) => new Set(neighboursOf(branches, bus)).size,
    find: (text) => findBus(buses, text),
  };
  return grid;
}

/** Stored coordinates if every bus has them, else computed ones; longitudes are scaled by the latitude. */
function placesOf({ buses, branches, coordinate_system: system }) {
  const complete = buses.x.every((value, bus) => value !== null && buses.y[bus] !== null);
  if (!complete) return { ...layOut(buses.id.length, branches.from, branches.to), system: "computed" };
  if (system !== "geographic" && system !== "approximate") return { x: buses.x, y: buses.y, system };
  const middle = buses.y.reduce((sum, value) => sum + value, 0) / buses.y.length;
  const shrink = Math.cos((middle * Math.PI) / 180);
  return { x: buses.x.map((value) => value * shrink), y: buses.y, system };
}

const titleOf = (id, name) => (name && name !== id ? `Bus ${id} (${name})` : `Bus ${id}`);

function neighboursOf({ from, to }, bus) {
  const neighbours = [];
  for (let branch = 0; branch < from.length; branch += 1) {
    if (from[branch] === bus) neighbours.push(to[branch]);
    if (to[branch] === bus) neighbours.push(from[branch]);
  }
  return neighbours;
}

/** Index of a bus by its id, or by its name ignoring case; -1 if there is none. */
function findBus({ id, name }, text) {
  const wanted = text.trim();
  const byId = id.indexOf(wanted);
  return byId >= 0 ? byId : name.findIndex((value) => value !== null && value.toLowerCase() === wanted.toLowerCase());
}
