import type {IncomingMessage, ServerResponse} from 'node:http';
import {appHeader} from '../../contract/constants.js';
import {hashSecret} from '../../domain/accounts/secrets.js';
import {clientAt} from '../../lib/io/hosts.js';
import type {Holder} from '../../lib/queue/admission.js';

/** Maximum number of credentials whose users are remembered; the least recently used one is dropped first. */
const maxCredentials = 10_000;

/** Property of requests. A `WeakMap` of objects that live for a moment makes garbage collection expensive. */
const holder = Symbol('holder');

type RequestWithHolder = IncomingMessage & {[holder]?: Holder};

/** Turns of requests. */
export type RequestTurns = {
	/** Holder of a request: its user if known, otherwise its address and credential. */
	holderOf(request: IncomingMessage): Holder;
	/** Resolves when the request may be handled: in a turn of its holder, and when a slot is free. */
	admit(request: IncomingMessage, response: ServerResponse): Promise<void>;
	/** Resolves when the holder of the request has its turn. Long work must wait for a turn before each step. */
	turn(request: IncomingMessage): Promise<void>;
};

/**
 * Holders of requests for admission control. The holder is the user if a previous request authenticated with the same credential.
 * Otherwise the group is the client, by its address, and the member its credential. Requests without a credential, such as health
 * checks, form a separate group for each client.
 */
export class Holders {
	/** User ids by hash of the credential, the least recently used first. */
	readonly #users = new Map<string, string>();

	of(request: RequestWithHolder): Holder {
		const known = request[holder];
		if (known) {
			return known;
		}

		const credential = credentialHash(request);
		const userId = this.#users.get(credential);
		const client = clientAt(request.socket.remoteAddress ?? '');
		const found =
			userId !== undefined
				? this.#remember(credential, userId)
				: {group: credential === '' ? `anonymous ${client}` : `address ${client}`, member: credential};
		request[holder] = found;
		return found;
	}

	/** Records the user of an authenticated request. */
	authenticated(request: RequestWithHolder, userId: string): void {
		if (this.of(request).group !== userHolder(userId).group) {
			request[holder] = this.#remember(credentialHash(request), userId);
		}
	}

	/** Forgets the user of a rejected credential, so that a revoked one takes no turns of the user. */
	rejected(request: IncomingMessage): void {
		this.#users.delete(credentialHash(request));
	}

	#remember(credential: string, userId: string): Holder {
		if (credential !== '') {
			this.#users.delete(credential);
			this.#users.set(credential, userId);
			if (this.#users.size > maxCredentials) {
				const [leastRecent = ''] = this.#users.keys();
				this.#users.delete(leastRecent);
			}
		}

		return userHolder(userId);
	}
}

export function userHolder(userId: string): Holder {
	return {group: `user ${userId}`, member: ''};
}

/** Headers with credentials. */
const credentialHeaders = ['x-api-key', 'authorization', 'x-postmark-server-token', appHeader.toLowerCase()];

/**
 * Hash of the credentials of a request; empty if there is none. It covers all headers: with one of them, a user could claim the
 * placeholder key of others by sending it beside the own key.
 */
function credentialHash({headers, url = ''}: IncomingMessage): string {
	const given = credentialHeaders.flatMap(name => {
		const value = headers[name];
		return value === undefined ? [] : [`${name}: ${accessKeyId(String(value)) ?? value}`];
	});
	// Presigned requests of SES.
	const [, presigned] = /[?&]X-Amz-Credential=([^&/%]+)/i.exec(url) ?? [];
	const all = presigned === undefined ? given : [...given, presigned];
	return all.length === 0 ? '' : hashSecret(all.join('\n'));
}

/** Access key id in AWS Signature Version 4: the rest of the field is different in each request. */
function accessKeyId(authorization: string): string | undefined {
	const [, id] = /^AWS4-HMAC-SHA256 +Credential=([^/,\s]+)/.exec(authorization) ?? [];
	return id && `AWS ${id}`;
}
