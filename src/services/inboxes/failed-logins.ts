import {hashSecret} from '../../domain/secret.js';

/** Failures that one address may have in so many milliseconds. */
const most = {failures: 10, inMs: 60_000};

/** Addresses that are remembered, those that failed last. */
const maxHosts = 10_000;

type Failure = {readonly at: number; readonly user: string};

/**
 * Logins that failed of late, by client address. Where there were too many, users that failed are turned away unheard, and
 * others that fail as well. All clients of a machine have one address: whoever is right, and was so before, is let in.
 */
export class FailedLogins {
	readonly #byHost = new Map<string, readonly Failure[]>();
	readonly #now: () => Date;

	constructor(now: () => Date) {
		this.#now = now;
	}

	/** Whether the user is to be turned away without a look at the credentials. */
	turnsAway(host: string, user: string): boolean {
		const failures = this.#recent(host);
		return failures.length >= most.failures && failures.some(failure => failure.user === hashSecret(user));
	}

	/** Notes one more; whether it is one too many. */
	add(host: string, user: string): boolean {
		const failures = this.#recent(host);
		const isTooMany = failures.length >= most.failures;
		this.#byHost.delete(host);
		this.#byHost.set(host, [...failures, {at: this.#now().getTime(), user: hashSecret(user)}].slice(-most.failures));
		if (this.#byHost.size > maxHosts) {
			this.#byHost.delete(this.#byHost.keys().next().value ?? '');
		}

		return isTooMany;
	}

	#recent(host: string): readonly Failure[] {
		const since = this.#now().getTime() - most.inMs;
		return (this.#byHost.get(host) ?? []).filter(({at}) => at > since);
	}
}
