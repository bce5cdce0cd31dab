import {fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import {Client} from '../client.js';

const program = fileURLToPath(new URL('attack-process.js', import.meta.url));

/** Somebody new who does one of the things, in a process of its own. */
export class Attack {
	#process;
	#daemon;
	#client;
	#processorMs = 0;
	/** Resolves when it goes on by itself, and rejects when it cannot begin. */
	underWay;

	/**
	 * @param {import('../start.js').Proven} daemon
	 * @param {string} thing
	 * @param {Client} client
	 */
	constructor(daemon, thing, client) {
		this.#daemon = daemon;
		this.#client = client;
		this.#process = fork(program, [thing]);
		const {url, smtp, smtps} = daemon;
		this.#process.send({daemon: {url, smtp, smtps}, headers: client.headers});
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
	 * @param {import('../start.js').Proven} daemon
	 * @param {string} thing
	 */
	static async of(daemon, thing) {
		return new Attack(daemon, thing, await Client.of(daemon));
	}

	/** For which it was on a processor, as far as it has told. */
	processorMs() {
		return this.#processorMs;
	}

	/** Ends it without a word, and deletes all that is the attacker's. */
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
