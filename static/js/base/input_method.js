/** Input methods for Chinese, Japanese or Korean: a key that belongs to an unfinished word triggers nothing else. */

/** Return true while a word is composed. In Safari the last keydown comes after the composition, with key code 229. */
export const isComposing = (event) => event.isComposing || event.keyCode === 229;
