// static/vendor/uplot.js, which is loaded with the first chart: its own types are not shipped.
// biome-ignore lint/suspicious/noExplicitAny: what is drawn has no type that anybody reads.
declare const uPlot: any;
export default uPlot;
