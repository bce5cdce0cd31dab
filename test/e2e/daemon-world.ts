import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {apiClient} from '../../src/client/index.js';
import {type ApiAddress, World} from '../unit/http/accounts/world.js';

export type Daemon = {
	readonly url: string;
	readonly smtp: {readonly host: string; readonly port: number};
	readonly data_dir: string;
};

/** A `World` in one or several daemon processes. Closing it deletes all users. Time cannot be advanced. */
export class DaemonWorld extends World {
	readonly #first: ApiAddress;

	private constructor(first: ApiAddress, ...others: readonly ApiAddress[]) {
		super(first, ...others);
		this.#first = first;
	}

	static async open(...daemons: readonly [Daemon, ...Daemon[]]): Promise<DaemonWorld> {
		const [first, ...others] = daemons;
		const world = new DaemonWorld(await placeOf(first), ...(await Promise.all(others.map(placeOf))));
		await world.populate();
		return world;
	}

	override async close(): Promise<void> {
		const {url, operatorToken: token} = this.#first;
		const {users} = apiClient({url, token});
		await Promise.all((await users.list()).users.map(async ({id}) => users.delete(id)));
	}

	override passTime(): never {
		throw new Error('The clock of a daemon process cannot be advanced.');
	}

	override flush(): never {
		throw new Error('A daemon process stores key uses by itself.');
	}
}

async function placeOf({url, data_dir: dir}: Daemon): Promise<ApiAddress> {
	return {url, operatorToken: (await readFile(path.join(dir, 'operator-token'), 'utf8')).trim()};
}
