import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {createTransport} from 'nodemailer';
import {apiClient} from '../../src/client/index.js';
import {type Place, World} from '../http/accounts/world.js';

/** Where a daemon is. */
export type Daemon = {
	readonly url: string;
	readonly smtp: {readonly host: string; readonly port: number};
	readonly data_dir: string;
};

/** A world in a daemon of its own process, or in several nodes, where time cannot be moved. Closing it leaves them empty. */
export class DaemonWorld extends World {
	readonly #nodes: readonly Node[];
	#turn = 0;

	private constructor(first: Node, ...others: readonly Node[]) {
		super(first, ...others);
		this.#nodes = [first, ...others];
	}

	static async open(...daemons: readonly [Daemon, ...Daemon[]]): Promise<DaemonWorld> {
		const [first, ...others] = daemons;
		const world = new DaemonWorld(await nodeOf(first), ...(await Promise.all(others.map(nodeOf))));
		await world.populate();
		return world;
	}

	override async close(): Promise<void> {
		const [{url, operatorToken: token} = {url: '', operatorToken: ''}] = this.#nodes;
		const {users} = apiClient({url, token});
		await Promise.all((await users.list()).users.map(async ({id}) => users.delete(id)));
	}

	override passTime(): never {
		throw new Error('The clock of a daemon cannot be moved.');
	}

	override flush(): never {
		throw new Error('A daemon writes down uses when it likes.');
	}

	protected override async receive(to: string, source: string): Promise<void> {
		const {smtp} = this.#nodes[this.#turn++ % this.#nodes.length] ?? {};
		const transport = createTransport({...smtp, ignoreTLS: true});
		await transport.sendMail({envelope: {from: 'from@example.com', to}, raw: source});
		transport.close();
	}
}

type Node = Place & Daemon;

async function nodeOf(daemon: Daemon): Promise<Node> {
	return {...daemon, operatorToken: (await readFile(path.join(daemon.data_dir, 'operator-token'), 'utf8')).trim()};
}
