import {bin, runCli} from '../helpers/cli.js';

/** Replaces values that differ between runs: ids, times, ports, keys, paths. */
export function normalize(text: string, replacements: Replacements = []): string {
	return [...patterns, ...replacements].reduce((result, [pattern, name]) => result.replaceAll(pattern, name), text);
}

/** Values or patterns, each with the placeholder that replaces it. */
export type Replacements = ReadonlyArray<readonly [string | RegExp, string]>;

const patterns: Replacements = [
	[/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<jwt>'],
	[/\b(tbx_[a-z]+_)[\w-]+/g, '$1<secret>'],
	[/\bwhsec_[\w+/=-]+/g, 'whsec_<secret>'],
	[/\bsha256=[\da-f]{64}/g, 'sha256=<signature>'],
	[/\bv1,[\w+/]+=*/g, 'v1,<signature>'],
	[/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, '<id>'],
	[/\b[\da-f]{64}\b/g, '<digest>'],
	[/(?:[\dA-F]{2}:){31}[\dA-F]{2}/g, '<fingerprint>'],
	[/\b\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, '<time>'],
	[/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d? \w{3} \d{4} [\d:]{8} (?:[+-]\d{4}|GMT)/g, '<date>'],
	// Recorded lazily, so that it may still be null.
	[/"last_used_at":(?:null|"<time>")/g, '"last_used_at":<time or null>'],
	[/(127\.0\.0\.1|localhost):\d+/g, '$1:<port>'],
	[/("(?:port|tls_port)":|\b(?:tls_)?port\t|PORT=)\d+/g, '$1<port>'],
	[/("(?:pid|size)":|\bpid\t)\d+/g, '$1<number>'],
	[/\b(process|pid) \d+/g, '$1 <number>'],
	[/\bv\d+\.\d+\.\d+ on \w+ \w+/g, '<node version and platform>'],
	[/\d+(?:\.\d+)? [GMT]iB free/g, '<size> free'],
	[/\b[a-z\d]{10}@tinbox\.test/g, '<random>@tinbox.test'],
	[/\b\d+ ms\b/g, '<number> ms'],
	[/\bjust now\b|\b\d+ ?[a-z]+ ago\b/g, '<age>'],
	[/^( +)\d\d:\d\d:\d\d /gm, '$1<time> '],
	[/^(From \S+) \w{3} \w{3} .*\d{4}$/gm, '$1 <date>'],
	[/\(([\da-f]{6})\)/g, '(<suffix>)'],
	[/\r\n/g, '\n'],
];

/** Records command lines of the built program: what each prints, and its exit code. */
export class Transcript {
	readonly #env: Record<string, string>;
	readonly #replacements: Replacements;
	readonly #lines: string[] = [];

	constructor(env: Record<string, string>, replacements: Replacements) {
		this.#env = env;
		this.#replacements = [...replacements, [bin, 'tinbox']];
	}

	get text(): string {
		return `${this.#lines.join('\n')}\n`;
	}

	/** Starts a section of the record. */
	section(title: string): void {
		this.#lines.push(`# ${title}`, '');
	}

	/**
	 * Runs a command line and returns its standard output. `env` adds variables, which are part of the record;
	 * `input` is its standard input.
	 */
	async run(args: readonly string[], {env = {}, input = ''} = {}): Promise<string> {
		const {exitCode, stdout, stderr} = await runCli({...this.#env, ...env}, args, {input});
		const variables = Object.entries(env).map(([name, value]) => `${name}=${value} `);
		const command = ['tinbox', ...args.map(arg => (/^[\w@.,:/=+-]+$/.test(arg) ? arg : `'${arg}'`))].join(' ');
		this.#lines.push(this.#normalize(`${variables.join('')}$ ${command}`), `exit ${exitCode}`);
		for (const [name, text] of [
			['stdout', stdout],
			['stderr', stderr],
		] as const) {
			if (text !== '') {
				this.#lines.push(`${name}:`, this.#normalize(text).trimEnd().replaceAll(/^/gm, '  '));
			}
		}

		this.#lines.push('');
		return stdout;
	}

	/** The value of a member of the JSON that a command prints. The command is recorded. */
	async read(member: string, args: readonly string[], options: {input?: string} = {}): Promise<string> {
		const value: unknown = JSON.parse(await this.run(args, options));
		return String((value as Record<string, unknown>)[member]);
	}

	#normalize(text: string): string {
		return normalize(text, this.#replacements);
	}
}
