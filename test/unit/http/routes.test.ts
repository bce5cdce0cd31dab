import {expect, test} from 'vitest';
import {createRouter, createWebAppRouter} from '../../../src/http/api/index.js';
import {Polls} from '../../../src/http/server/polls.js';
import {silent} from '../../helpers/resources.js';
import {openTinbox} from '../../helpers/tinbox.js';
import {appRoutes, noConnections, routes} from './routes.js';

test('the tests of all routes know every route', async () => {
	const {services} = await openTinbox();
	const polls = new Polls(services, noConnections, silent);
	const {stack} = createRouter(services, {polls, connections: noConnections});
	const all = [...stack, ...createWebAppRouter(services, noConnections).stack].flatMap(({methods, path}) =>
		methods.filter(method => method !== 'HEAD').map(method => `${method} ${String(path).replace(/^\/v1/, '')}`),
	);
	expect([...routes, ...appRoutes].map(({request}) => request).sort()).toEqual(all.sort());
});
