import {describe, expect, test} from 'vitest';
import type {CreateHarness} from './harness.js';

const node = {id: 'n1', name: 'host', version: '1.0.0', address: '127.0.0.1:8025', waits: 3, sessions: 1};

export function describeNodes(create: CreateHarness): void {
	describe('nodes', () => {
		test('a node is listed from its first heartbeat until it leaves', async () => {
			const {nodes} = (await create()).store;
			expect(await nodes.list()).toEqual([]);
			await nodes.beat(node);
			const [first] = await nodes.list();
			expect(first).toEqual({...node, since: first?.since, heartbeatAt: first?.since, state: 'up'});
			expect(first?.since).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
			await nodes.beat({...node, address: '127.0.0.1:9', waits: 0, sessions: 2});
			const [later] = await nodes.list();
			expect(later).toMatchObject({address: '127.0.0.1:9', waits: 0, sessions: 2, since: first?.since});
			expect(Date.parse(later?.heartbeatAt ?? '')).toBeGreaterThanOrEqual(Date.parse(first?.heartbeatAt ?? ''));
			await nodes.leave('another');
			expect(await nodes.list()).toEqual([later]);
			await nodes.leave(node.id);
			expect(await nodes.list()).toEqual([]);
		});
	});
}
