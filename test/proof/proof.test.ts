import {beforeAll, describe, expect, test} from 'vitest';
import {createRouter} from '../../src/http/app.js';
import {Polls} from '../../src/http/polls.js';
import {openTinbox} from '../helpers/tinbox.js';
import {faultsIn} from '../helpers/verdict.js';
import {routes} from './requests/routes.js';
import {buildProven, startProven} from './start.js';
import {prove, suites} from './suites.js';

beforeAll(buildProven);

/** `npm run test:proof` runs them in full. */
describe.each(Object.entries(suites))('the suite "%s"', (_name, suite) => {
	test('finds nothing wrong with the daemon', async () => {
		const counts = await prove(suite, startProven, suite.short);
		// How long the loop was held is measured by the long form: no test asserts a time.
		expect(faultsIn(suite, {...counts, stalls: 0}), JSON.stringify(counts)).toEqual([]);
	});

	test('finds a daemon that is wrong on purpose', async () => {
		expect(faultsIn(suite, await prove(suite, suite.startWrong, suite.wrong))).not.toEqual([]);
	});
});

test('random requests go to every route', async () => {
	const {services} = await openTinbox();
	const {stack} = createRouter(services, new Polls(services.feed, () => {}));
	const all = stack.flatMap(({methods, path}) =>
		methods.filter(method => method !== 'HEAD').map(method => `${method} ${String(path).replace(/^\/v1/, '')}`),
	);
	expect(routes.map(({request}) => request).sort()).toEqual(all.sort());
});
