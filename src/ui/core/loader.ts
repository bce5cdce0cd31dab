import {ApiError} from '../../client/errors.js';
import {sleep} from '../../lib/time/sleep.js';
import type {FeedStatus} from './feed.js';
import {errorNotice, type Notice, type Store, type Update} from './store.js';

/** Data that the state needs but does not have, and the request that reads it. */
export type MissingData<State> = {
	/** Identifies the request. The answer is dropped if the state no longer needs it. */
	readonly name: string;
	/** Delay before the request. Nothing is sent if the data is no longer missing after it. */
	readonly delayMs?: number;
	/** Sends the request. The signal aborts when the answer is no longer needed. */
	read(signal: AbortSignal): Promise<Update<State>>;
	/** Shows a failure; by default as a notice. */
	readonly failed?: (error: unknown) => Update<State>;
	/** Shows or hides that the request takes long. */
	readonly slow?: (isSlow: boolean) => Update<State>;
};

/** Finds the missing data of one kind; undefined for none. */
export type FindMissing<State> = (state: State) => MissingData<State> | undefined;

type LoadableState = {readonly feed: FeedStatus; readonly notice: Notice | undefined};

type LoaderOptions = {
	/** Delay before a request that failed for a temporary reason is repeated; by default it is not. */
	readonly retryMs?: number | undefined;
	readonly signal?: AbortSignal;
};

type Request = {readonly name: string; readonly controller: AbortController};

/** Delay before a request counts as slow. */
const slowMs = 300;

/** Reads all missing data after each change of the state, with one request at a time per kind, until the signal aborts. */
export function startLoader<State extends LoadableState>(
	store: Store<State>,
	finders: ReadonlyArray<FindMissing<State>>,
	options: LoaderOptions = {},
): void {
	const loaders = finders.map(find => createLoader(store, find, options));
	const loadAll = () => {
		for (const load of loaders) {
			load();
		}
	};
	loadAll();
	store.subscribe(loadAll, options.signal);
}

/**
 * Creates a function that starts a request if data of one kind is missing. A failed request is repeated after another
 * request of this kind, when the feed reconnects, or after `retryMs`.
 */
function createLoader<State extends LoadableState>(
	store: Store<State>,
	find: FindMissing<State>,
	{retryMs, signal}: LoaderOptions,
): () => void {
	let current: Request | undefined;
	let failed: {readonly name: string; readonly feed: FeedStatus} | undefined;

	const load = () => {
		const name = find(store.get())?.name;
		const {feed} = store.get();
		const isBack = feed.status === 'live' && feed !== failed?.feed;
		failed = name === failed?.name && !isBack ? failed : undefined;
		if (current !== undefined && current.name !== name) {
			current.controller.abort();
			current = undefined;
		}

		if (current === undefined && failed === undefined && name !== undefined) {
			current = {name, controller: new AbortController()};
			void send(current);
		}
	};

	const send = async (request: Request) => {
		const missing = () => (current === request ? find(store.get()) : undefined);
		const showSlow = (isSlow: boolean) => store.update(missing()?.slow?.(isSlow) ?? {});
		const timer = setTimeout(() => showSlow(true), slowMs);
		try {
			await sleep(missing()?.delayMs ?? 0);
			const update = await missing()?.read(request.controller.signal);
			if (update !== undefined && current === request) {
				store.update(update);
			}
		} catch (error) {
			fail(request, error, missing());
		} finally {
			clearTimeout(timer);
			showSlow(false);
			if (current === request) {
				current = undefined;
				load();
			}
		}
	};

	const fail = ({name}: Request, error: unknown, missing: MissingData<State> | undefined) => {
		if (missing === undefined) {
			return;
		}

		failed = {name, feed: store.get().feed};
		if (retryMs !== undefined && isTemporary(error)) {
			setTimeout(retry, retryMs);
		}

		store.update(missing.failed?.(error) ?? ({notice: errorNotice(error)} as Partial<State>));
	};

	const retry = () => {
		failed = store.get().feed.status === 'live' ? undefined : failed;
		if (!signal?.aborted) {
			load();
		}
	};
	return load;
}

function isTemporary(error: unknown): boolean {
	return !(error instanceof ApiError) || error.status >= 500;
}
