import {fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import {Client} from '../client.js';

const program = fileURLToPath(new URL('attack-process.js', import.meta.url));

/** An attack by a new user in a separate process. */
export class Attack {
	#process;
	#daemon;
	#client;
	#processorMs = 0;
	/** Resolves when the attack has started, and rejects if it cannot start. */
	underWay;

	/**
	 * @param {import('../start.js').TestDaemon} daemon
	 * @param {string} name
	 * @param {Client} client
	 * @param {string} victim address of an inbox of another user
	 */
	constructor(daemon, name, client, victim) {
		this.#daemon = daemon;
		this.#client = client;
		this.#process = fork(program, [name]);
		const {url, smtp, smtps} = daemon;
		this.#process.send({daemon: {url, smtp, smtps}, headers: client.headers, victim});
		this.underWay = new Promise((resolve, reject) => {
			this.#process.on('message', message => {
				const {processorMs, isUnderWay, error} = /** @type {any} */ (message);
				this.#processorMs = processorMs ?? this.#processorMs;
				if (error) {
					reject(new Error(error));
				} else if (isUnderWay) {
					resolve(undefined);
				}
			});
		});
		this.underWay.catch(() => {});
	}

	/**
	 * @param {import('../start.js').TestDaemon} daemon
	 * @param {string} name
	 * @param {string} victim
	 */
	static async of(daemon, name, victim) {
		return new Attack(daemon, name, await Client.of(daemon), victim);
	}

	/** Last reported CPU time of the process. */
	processorMs() {
		return this.#processorMs;
	}

	/** Kills the process and deletes the user with all data. */
	async end() {
		this.#process.kill('SIGKILL');
		await once(this.#process, 'exit');
		const operator = new Client(this.#daemon.url, {authorization: `Bearer ${this.#daemon.operatorToken}`});
		const {id} = await this.#client.json('GET', '/users/me');
		await operator.json('DELETE', `/users/${id}`);
		operator.close();
		this.#client.close();
	}
}
