import {type ChildProcess, execFileSync, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {setTimeout as sleep} from 'node:timers/promises';
import {VirtualScreen} from './virtual-screen.js';

const timeoutMs = 20_000;

/** True if util-linux's `script`, which creates the terminal, is installed. */
export const hasPty = spawnSync('script', ['--version']).status === 0;

/** A shell with job control in a pseudo-terminal: `script` creates the terminal, `stty` sets its size. */
export class Pty {
	readonly screen: VirtualScreen;
	readonly #child: ChildProcess;
	#device = '';
	#asked = 0;

	private constructor(rows: number, columns: number, cwd: string, env: NodeJS.ProcessEnv) {
		this.screen = new VirtualScreen(rows, columns);
		this.#child = spawn('script', ['-qfec', 'bash --norc --noprofile -i', '/dev/null'], {
			cwd,
			env: {TERM: 'xterm-256color', HISTFILE: '/dev/null', ...env},
			stdio: ['pipe', 'pipe', 'ignore'],
		});
		this.#child.stdout?.setEncoding('utf8').on('data', (data: string) => this.screen.write(data));
	}

	static async open({
		rows,
		columns,
		cwd,
		env,
	}: {
		readonly rows: number;
		readonly columns: number;
		readonly cwd: string;
		readonly env: NodeJS.ProcessEnv;
	}): Promise<Pty> {
		const pty = new Pty(rows, columns, cwd, env);
		pty.type(`PS1='$ '; bind 'set enable-bracketed-paste off'; tty\r`);
		await pty.until(text => /\/dev\/\S+\n/.test(text));
		pty.#device = /^\/dev\/\S+$/m.exec(pty.screen.text)?.[0] ?? '';
		pty.resize(rows, columns);
		pty.type('clear\r');
		return pty;
	}

	type(keys: string): void {
		this.#child.stdin?.write(keys);
	}

	/** Resizes the terminal; programs in it are signaled as by a window. */
	resize(rows: number, columns: number): void {
		this.screen.resize(rows, columns);
		execFileSync('stty', ['-F', this.#device, 'rows', String(rows), 'cols', String(columns)]);
	}

	/** Returns the output of `stty -g`. The shell must be at its prompt. */
	async settings(): Promise<string> {
		const mark = `asked ${this.#asked++}: `;
		this.type(`echo "${mark}$(stty -g)"\r`);
		const answer = new RegExp(`^${mark}(\\S+)$`, 'm');
		await this.until(text => answer.test(text));
		return answer.exec(this.screen.text)?.[1] ?? '';
	}

	/** Waits until the screen shows something. */
	async until(isShown: (text: string) => boolean): Promise<void> {
		const end = performance.now() + timeoutMs;
		while (!isShown(this.screen.text)) {
			if (performance.now() > end) {
				throw new Error(`The expected text did not appear on the screen:\n${this.screen.text}`);
			}

			await sleep(20);
		}
	}

	async shows(...texts: readonly string[]): Promise<void> {
		await this.until(shown => texts.every(text => shown.includes(text)));
	}

	async close(): Promise<void> {
		if (this.#child.exitCode === null && this.#child.signalCode === null) {
			const exit = once(this.#child, 'exit');
			// The kernel sends SIGHUP to all processes of the terminal.
			this.#child.kill('SIGKILL');
			await exit;
		}
	}
}
