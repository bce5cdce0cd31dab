import {describe} from 'vitest';
import type {Store} from '../../src/store/store.js';
import {describeStore} from './behaviour.js';
import {openStore, temporaryFolder} from './json-fixture.js';

describe('the store of JSON files, as it runs', () => {
	describeStore(async () => {
		const store = await openStore(await temporaryFolder());
		return {store, next: async () => store};
	});
});

describe('the store of JSON files, after a restart', () => {
	describeStore(async () => {
		const dir = await temporaryFolder();
		let store: Store = await openStore(dir);
		return {
			store,
			next: async () => {
				await store.close();
				store = await openStore(dir);
				return store;
			},
		};
	});
});
