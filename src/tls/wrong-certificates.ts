import type {SecureContext} from 'node:tls';
import type {Order} from './issue.js';
import type {Issue} from './issue-apart.js';
import type {KeyPair} from './key-pair.js';

/** What can be wrong with a certificate; `old-tls` is right and spoken for by TLS 1.1 at most. */
const defects = ['expired', 'wrong-host', 'self-signed', 'untrusted', 'old-tls'] as const;

type Defect = (typeof defects)[number];

/** For `wrong-host`: a name that the authority vouches for and nobody asks for. */
const otherHost = 'another-host.test';

const day = 86_400_000;

export type WrongCertificatesOptions = {
	authority(): Promise<KeyPair>;
	readonly issue: Issue;
	/** Each has names below it, one for each defect. */
	readonly domains: readonly string[];
	createContext(pair: KeyPair, isOldTls: boolean): SecureContext;
	readonly now: () => Date;
};

/** Certificates that are wrong on purpose, shown to clients that ask for names such as `expired.tinbox.test`. */
export class WrongCertificates {
	readonly #options: WrongCertificatesOptions;
	readonly #domains: ReadonlySet<string>;
	/** By name, of which there are only so many. */
	readonly #made = new Map<string, Promise<SecureContext>>();

	constructor(options: WrongCertificatesOptions) {
		this.#options = options;
		this.#domains = new Set(options.domains);
	}

	/** Undefined for a name under which nothing is wrong. */
	defectOf(name: string): Defect | undefined {
		const [label = ''] = name.split('.', 1);
		return this.#domains.has(name.slice(label.length + 1)) ? defects.find(defect => defect === label) : undefined;
	}

	/** Made when first asked for. */
	async contextFor(name: string, defect: Defect): Promise<SecureContext> {
		const {createContext} = this.#options;
		const made =
			this.#made.get(name) ?? this.#issue(name, defect).then(pair => createContext(pair, defect === 'old-tls'));
		this.#made.set(name, made);
		return made.catch(error => {
			this.#made.delete(name);
			throw error;
		});
	}

	async #issue(name: string, defect: Defect): Promise<KeyPair> {
		const now = this.#options.now().getTime();
		const days = (from: number, to: number) => ({
			notBefore: new Date(now + from * day),
			notAfter: new Date(now + to * day),
		});
		const valid = days(-1, 397);
		const {certificate, key} = await this.#options.authority();
		const right: Order = {names: [name], validity: valid, authority: {certificate, key}};
		const orders: Readonly<Record<Defect, Order>> = {
			expired: {...right, validity: days(-90, -1)},
			'wrong-host': {...right, names: [otherHost]},
			'self-signed': {...right, authority: null},
			untrusted: {...right, authority: {commonName: 'untrusted test CA', validity: valid}},
			'old-tls': right,
		};
		return (await this.#options.issue(orders[defect])).leaf;
	}
}
