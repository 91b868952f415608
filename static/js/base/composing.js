/**
 * Typing Chinese, Japanese or Korean: a key may belong to a word that is still being put together, and is then nobody
 * else's.
 */

/** Safari ends a composition before its last keydown; that one is told by its code alone. */
export const isComposing = (event) => event.isComposing || event.keyCode === 229;
