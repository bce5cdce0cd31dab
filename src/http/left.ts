import type {ServerResponse} from 'node:http';

/** Aborts when the client leaves; at once if it left before. */
export function left(response: ServerResponse): AbortSignal {
	const gone = new AbortController();
	if (response.destroyed) {
		gone.abort();
	}

	response.once('close', () => gone.abort());
	return gone.signal;
}
