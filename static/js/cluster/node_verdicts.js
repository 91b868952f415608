/** The verdicts of a moment by node index, for views of thousands of nodes. Pure. */
import { UNSEEN } from "../cycle/frame.js";

const known = new WeakMap();

/** Return a number of VERDICTS for each node. */
export function verdictsByNode({ columns, index }, moment) {
  const size = columns.names.length;
  if (!moment) return new Uint8Array(size);
  const before = known.get(moment);
  if (before?.index === index) return before.states;
  const states = new Uint8Array(size).fill(moment.searching ? UNSEEN : 0);
  for (const [name, row] of moment.row) {
    const i = index.get(name);
    if (i !== undefined) states[i] = moment.verdict[row];
  }
  known.set(moment, { index, states });
  return states;
}
