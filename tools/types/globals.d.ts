// What the page finds in its window, and of elements that it looks up: of which kind one is, its selector says.
interface Window {
  gettext?: (text: string) => string;
  ngettext?: (one: string, several: string, count: number) => string;
  django?: { catalog: Record<string, string | string[]> };
}
interface Element {
  dataset: DOMStringMap;
  nonce?: string;
  value?: string;
  focus?: (options?: FocusOptions) => void;
}
