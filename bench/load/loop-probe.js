/**
 * Module for `--import`: writes a line of JSON to the file `LOOP_PROBE` every second, with the longest time that the event loop
 * was blocked since the last line, and the memory. Waiting for a processor does not count.
 */
import {appendFileSync} from 'node:fs';

const file = process.env['LOOP_PROBE'] ?? '';
const everyMs = 5;

let heldMs = 0;
let ticked = {wall: performance.now(), busy: busyMs()};
setInterval(() => {
	const now = {wall: performance.now(), busy: busyMs()};
	heldMs = Math.max(heldMs, Math.min(now.wall - ticked.wall - everyMs, now.busy - ticked.busy));
	ticked = now;
}, everyMs).unref();

setInterval(() => {
	const {rss, heapUsed} = process.memoryUsage();
	appendFileSync(file, `${JSON.stringify({heldMs, residentMb: rss / 2 ** 20, heapMb: heapUsed / 2 ** 20})}\n`);
	heldMs = 0;
}, 1000).unref();

function busyMs() {
	const {user, system} = process.cpuUsage();
	return (user + system) / 1000;
}
