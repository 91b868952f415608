/** Search by typed text: actions by their words, objects by their key. */

/**
 * Return the rank if all typed words begin a word of the text, or are inside one. Lower is better, Infinity is no
 * match.
 */
function rank(text, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const where = text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const exact = where.indexOf(word);
    // "lessons" matches an action with the word "lesson".
    const position = exact < 0 && word.length > 3 && word.endsWith("s") ? where.indexOf(word.slice(0, -1)) : exact;
    if (position < 0) return Infinity;
    const begins = position === 0 || /[^a-z0-9]/.test(where[position - 1]);
    sum += begins ? position / 100 : 10 + position / 100;
  }
  return sum;
}

/** Return the rows that match, best first; equal ones keep their order. `text(row)`: the searched text. */
export function matching(rows, query, text) {
  return rows
    .map((row, index) => ({ row, index, rank: rank(text(row), query) }))
    .filter((entry) => entry.rank < Infinity)
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map((entry) => entry.row);
}
