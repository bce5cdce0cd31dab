import type {IncomingMessage} from 'node:http';
import type {Context} from 'koa';
import type {z} from 'zod';
import type {listMisses} from '../contract/messages.js';
import {checksOf, contentChecksOf, type MessageQuery} from '../domain/filter.js';
import {SearchProgress} from '../services/search.js';

type Given = Omit<z.output<typeof listMisses>, 'limit'>;

/** What a query asks of messages. Throws `invalid_input` naming a pattern that cannot be used. */
export function messageQuery({after, ...texts}: Given): MessageQuery {
	const query = {...texts, ...(after?.includes('T') ? {since: new Date(after).toISOString()} : {after})};
	checksOf(query);
	contentChecksOf(query);
	return query;
}

/** What the looks of one request have found out; it ends when the client leaves. */
export class RequestProgress {
	readonly #ofRequest = new WeakMap<IncomingMessage, SearchProgress>();

	of({req, res}: Context): SearchProgress {
		const known = this.#ofRequest.get(req);
		if (known) {
			return known;
		}

		const gone = new AbortController();
		res.once('close', () => gone.abort());
		const progress = new SearchProgress(gone.signal);
		this.#ofRequest.set(req, progress);
		return progress;
	}
}
