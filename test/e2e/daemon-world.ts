import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {apiClient} from '../../src/client/index.js';
import {type Place, World} from '../unit/http/accounts/world.js';

/** Where a daemon is. */
export type Daemon = {
	readonly url: string;
	readonly smtp: {readonly host: string; readonly port: number};
	readonly data_dir: string;
};

/** A world in a daemon of its own process, or in several nodes, where time cannot be moved. Closing it leaves them empty. */
export class DaemonWorld extends World {
	readonly #first: Place;

	private constructor(first: Place, ...others: readonly Place[]) {
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
		throw new Error('The clock of a daemon cannot be moved.');
	}

	override flush(): never {
		throw new Error('A daemon writes down uses when it likes.');
	}
}

async function placeOf({url, data_dir: dir}: Daemon): Promise<Place> {
	return {url, operatorToken: (await readFile(path.join(dir, 'operator-token'), 'utf8')).trim()};
}
