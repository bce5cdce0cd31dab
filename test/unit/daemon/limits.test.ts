import {expect, test} from 'vitest';
import {type DaemonSettings, defaultSettings} from '../../../src/config/settings.js';
import {daemonLimits, outgoingConnections} from '../../../src/daemon/limits.js';
import {openFilesLimit} from '../../../src/daemon/resources.js';

function limitsWith(openFiles: number, settings: Partial<DaemonSettings> = {}) {
	const warnings: object[] = [];
	const log = {info: () => {}, warn: (fields: object) => void warnings.push(fields), error: () => {}};
	return {...daemonLimits({...defaultSettings('/data'), ...settings}, {openFiles, log}), warnings};
}

test('the configured connection limits apply if enough files may be open', () => {
	const {http, smtp, warnings} = limitsWith(100_000);
	expect([http.connections.max, smtp.connections.max]).toEqual([30_000, 20_000]);
	expect(warnings).toEqual([]);
});

test('if many files may be open, a lowered connection limit is logged only if it was configured', () => {
	expect(limitsWith(10_240)).toMatchObject({http: {connections: {max: 7796}}, warnings: []});
	expect(limitsWith(10_240, {maxConnections: 9000}).warnings).toHaveLength(1);
});

test.each([0, 64, 300, 1024])(
	'connections leave room for files if %i files may be open, and the limits are logged',
	openFiles => {
		const {http, smtp, warnings} = limitsWith(openFiles);
		const {attempts, idle, mails} = outgoingConnections(openFiles);
		expect(Math.min(attempts, idle, mails)).toBeGreaterThan(0);
		expect(warnings).toEqual([{openFiles, http: http.connections.max, smtp: smtp.connections.max}]);
		const acquired = [http, smtp].map(({slots}) => {
			let count = 0;
			while (slots.tryAcquire()) {
				count++;
			}

			return count;
		});
		expect(Math.min(...acquired)).toBeGreaterThan(0);
		expect(acquired.reduce((sum, count) => sum + count, attempts + idle + mails)).toBeLessThanOrEqual(
			Math.max(16, openFiles - 100),
		);
		expect(http.connections.raiseAdvice).toBe(
			`a higher "ulimit -n" (now ${openFiles}), which limits --max-http-connections`,
		);
	},
);

test('the open-files limit of the process is known', () => {
	expect(openFilesLimit()).toBeGreaterThan(0);
});
