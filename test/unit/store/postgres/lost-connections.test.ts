import {once} from 'node:events';
import net from 'node:net';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {Notifications} from '../../../../src/store/postgres/notifications.js';
import {Database} from '../../../../src/store/postgres/session/database.js';
import {Primary} from '../../../../src/store/postgres/session/primary.js';
import {openSession} from '../../../../src/store/postgres/session/session.js';
import {readConnectionSettings} from '../../../../src/store/postgres/session/settings.js';
import {silent} from '../../../helpers/resources.js';
import {hasNoPostgres, testCluster} from '../postgres-fixture.js';
import {startRelay} from './relay.js';

test('a session that ends while it connects leaves no connection open', async () => {
	const server = net.createServer(() => {}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(() => void server.close());
	const {port} = server.address() as net.AddressInfo;
	const socket = net.connect(port, '127.0.0.1');
	await once(socket, 'connect');
	const closed = once(socket, 'close');
	let reached = () => {};
	const reaching = vi.fn(
		async () =>
			new Promise<void>(resolve => {
				reached = resolve;
			}),
	);
	const session = openSession(readConnectionSettings('postgres://one@127.0.0.1/one', {}), {
		connect: async () => {
			await reaching();
			return {server: {host: '127.0.0.1', port}, socket};
		},
	});
	const outcome = session.sql`select 1`.catch((error: unknown) => error);
	await vi.waitFor(() => expect(reaching).toHaveBeenCalled());
	await session.end();
	expect(await outcome).toBeInstanceOf(Error);
	reached();
	await closed;
	await expect(session.sql`select 1`).rejects.toThrow();
});

describe.skipIf(hasNoPostgres)('a connection that is lost at any byte', {timeout: 120_000}, () => {
	const postgres = testCluster();

	test('a lost connection fails running statements only and does not block closing', async () => {
		const relay = await startRelay(await postgres.database());
		const primary = await Primary.find(readConnectionSettings(relay.url, {}), silent);
		const database = new Database(primary);
		onTestFinished(async () => database.close());
		const [telling, hearing] = ['one', 'other'].map(id => new Notifications(options => primary.session(options), id));
		const heard = vi.fn();
		hearing?.onNotification(heard);
		await Promise.all([telling?.start(), hearing?.start()]);
		const one = async () => database.run(async sql => sql`select ${1}::int as one`);
		const both = async () =>
			database.begin('user', async sql => Promise.all([sql`select ${1}::int as one`, sql`select ${2}::int as two`]));
		for (let bytes = 1; bytes < 1600; bytes += 199) {
			relay.cutAfter(bytes);
			const works = Array.from({length: 12}, (_, index) => (index % 2 === 0 ? one() : both()));
			await Promise.allSettled(works);
			relay.cutAfter(0);
			await vi.waitFor(async () => Promise.all([one(), both()]), {interval: 5});
		}

		await vi.waitFor(() => {
			telling?.publish(['again']);
			expect(heard).toHaveBeenCalledWith(['again']);
		}, 10_000);
		relay.cutAfter(1);
		await Promise.allSettled([telling?.close(), hearing?.close()]);
	});
});
