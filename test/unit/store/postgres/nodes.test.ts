import postgres from 'postgres';
import {describe, expect, onTestFinished, test} from 'vitest';
import {hasNoPostgres, newDatabase, openNode} from '../postgres-fixture.js';

const report = {name: 'host', version: '1.0.0', address: '127.0.0.1:8025', waits: 0, sessions: 0};

describe.skipIf(hasNoPostgres)('nodes on PostgreSQL', () => {
	test('nodes see each other; a silent node is lost and finally removed', async () => {
		const url = await newDatabase();
		const [{nodes}, other] = [await openNode(url), await openNode(url)];
		await nodes.beat({...report, id: 'n1'});
		await other.nodes.beat({...report, id: 'n2', name: 'another'});
		const states = async () => (await nodes.list()).map(({id, state}) => `${id} ${state}`);
		expect(await states()).toEqual(['n1 up', 'n2 up']);
		expect(await other.nodes.list()).toEqual(await nodes.list());

		const sql = postgres(url, {max: 1});
		onTestFinished(async () => sql.end());
		await sql`update tinbox.nodes set heartbeat_at = now() - interval '11 seconds' where id = 'n2'`;
		expect(await states()).toEqual(['n1 up', 'n2 lost']);
		await sql`update tinbox.nodes set heartbeat_at = now() - interval '61 minutes' where id = 'n2'`;
		await nodes.beat({...report, id: 'n1'});
		expect(await states()).toEqual(['n1 up']);
		// The node was only paused.
		await other.nodes.beat({...report, id: 'n2'});
		expect(await states()).toEqual(['n1 up', 'n2 up']);
	});
});
