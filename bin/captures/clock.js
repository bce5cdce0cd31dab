/** Module for `--import`: fixes the clock of a program at the time in the file `CAPTURES_CLOCK`. */
import {readFileSync} from 'node:fs';

const RealDate = Date;
const now = () => RealDate.parse(readFileSync(process.env['CAPTURES_CLOCK'] ?? '', 'utf8'));

globalThis.Date = new Proxy(RealDate, {
	construct: (target, moment, newTarget) => Reflect.construct(target, moment.length > 0 ? moment : [now()], newTarget),
	get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
