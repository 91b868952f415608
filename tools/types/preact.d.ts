// What the page uses of static/vendor/preact.js: Preact, htm and signals, for the check of types.
export interface Signal<T> {
  value: T;
  peek(): T;
  subscribe(listener: (value: T) => void): () => void;
}
export interface Computed<T> {
  readonly value: T;
  peek(): T;
}
// biome-ignore lint/suspicious/noExplicitAny: what is drawn has no type that anybody reads.
type Any = any;
export function signal(value: null | undefined): Signal<Any>;
export function signal(value: never[]): Signal<Any[]>;
export function signal<T>(value: T): Signal<T>;
export function computed<T>(compute: () => T): Computed<T>;
export function effect(run: () => unknown): () => void;
export function batch<T>(run: () => T): T;
export function html(texts: TemplateStringsArray, ...values: Any[]): Any;
export function render(what: Any, where: Element): void;
export function createContext(otherwise: Any): Any;
export function useContext(context: Any): Any;
export function useEffect(run: () => unknown, inputs?: readonly Any[]): void;
export function useLayoutEffect(run: () => unknown, inputs?: readonly Any[]): void;
export function useMemo<T>(make: () => T, inputs: readonly Any[]): T;
export function useRef(first?: Any): { current: Any };
export function useId(): string;
export function useState(first?: Any): [Any, (next: Any) => void];
