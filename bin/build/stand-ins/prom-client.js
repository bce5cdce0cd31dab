// @ts-nocheck These files have no type declarations.
/** The parts of prom-client that the daemon uses. Its index would load three times as much code at every start. */
export {default as Counter} from 'prom-client/lib/counter.js';
export {default as Gauge} from 'prom-client/lib/gauge.js';
export {default as Histogram} from 'prom-client/lib/histogram.js';
export {default as Registry} from 'prom-client/lib/registry.js';
