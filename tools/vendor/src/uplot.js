// Small, fast time series.
export { default } from "uplot";
