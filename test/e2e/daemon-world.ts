import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {createTransport} from 'nodemailer';
import {apiClient} from '../../src/client/index.js';
import {World} from '../http/accounts/world.js';

/** Where a daemon is. */
export type Daemon = {
	readonly url: string;
	readonly smtp: {readonly host: string; readonly port: number};
	readonly data_dir: string;
};

/** A world in a daemon of its own process, where time cannot be moved. Closing it leaves the daemon empty. */
export class DaemonWorld extends World {
	readonly #daemon: Daemon;
	readonly #operatorToken: string;

	private constructor(daemon: Daemon, operatorToken: string) {
		super(daemon.url, operatorToken);
		this.#daemon = daemon;
		this.#operatorToken = operatorToken;
	}

	static async open(daemon: Daemon): Promise<DaemonWorld> {
		const operatorToken = (await readFile(path.join(daemon.data_dir, 'operator-token'), 'utf8')).trim();
		const world = new DaemonWorld(daemon, operatorToken);
		await world.populate();
		return world;
	}

	override async close(): Promise<void> {
		const {users} = apiClient({url: this.#daemon.url, token: this.#operatorToken});
		await Promise.all((await users.list()).users.map(async ({id}) => users.delete(id)));
	}

	override passTime(): never {
		throw new Error('The clock of a daemon cannot be moved.');
	}

	override flush(): never {
		throw new Error('A daemon writes down uses when it likes.');
	}

	protected override async receive(to: string, source: string): Promise<void> {
		const transport = createTransport({...this.#daemon.smtp, ignoreTLS: true});
		await transport.sendMail({envelope: {from: 'from@example.com', to}, raw: source});
		transport.close();
	}
}
